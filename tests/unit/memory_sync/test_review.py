from pi_sandbox.git_access.object_data import CommitData, TreeEntry
from pi_sandbox.memory_sync.review import Foreign, Own, Review, ReviewedCommit, changed_lines, review_parts
from pi_sandbox.system.template_files import render_template

HEADER = "tree t\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\ngpgsig x"


def commit(name, *, by_sync):
    data = CommitData(name, "t", (), ("A <a@b>", "A <a@b>"), ("gpgsig x",), "subject\n", HEADER)
    return ReviewedCommit(data, f"patch of {name}", by_sync)


def test_changes_are_named_by_kind_and_odd_names_are_visible():
    before = {path: TreeEntry(path, "100644", "1") for path in ("same", "old", "edited", "mode")}
    after = {
        "same": TreeEntry("same", "100644", "1"),
        "edited": TreeEntry("edited", "100644", "2"),
        "mode": TreeEntry("mode", "100755", "1"),
        "new\n\u202e": TreeEntry("new\n\u202e", "100644", "3"),
    }

    assert changed_lines(before, after) == (
        "changed edited",
        "mode 100644 to 100755 mode",
        'added "new\\n\\u202e"',
        "removed old",
    )


def test_a_new_commit_and_unpushed_ones_are_shown_in_order():
    unpushed = (commit("c1", by_sync=True), commit("c2", by_sync=False))
    review = Review("private", "main", commit("c3", by_sync=True), ("added a",), unpushed)

    assert review.tip == "c3"
    assert list(review_parts(review)) == [
        Own("private: changed files, for the new commit c3"),
        Own("  added a"),
        Own("private: full diff"),
        Foreign("patch of c3"),
        Own("private: what the new commit c3 says"),
        Foreign(f"{HEADER}\n\nsubject\n"),
        Own("private: unpushed commits (2), each with its patch"),
        Own("commit c1"),
        Foreign(f"{HEADER}\n\nsubject\n"),
        Foreign("patch of c1"),
        Own("commit c2"),
        Own("warning: commit c2 was not made by memory-sync"),
        Foreign(f"{HEADER}\n\nsubject\n"),
        Foreign("patch of c2"),
        Own("private: the push would send 3 commits, up to c3"),
    ]


def test_without_a_new_commit_the_last_unpushed_one_is_pushed():
    review = Review("private", "main", None, (), (commit("c1", by_sync=True), commit("c2", by_sync=True)))

    assert review.tip == "c2"
    assert Own("private: the push would send 2 commits, up to c2") in review_parts(review)


def test_the_review_list_has_the_words_of_the_manual():
    text = render_template("review.txt.j2", {"folder": "~/pi/brain/pi-memory-work"})

    assert "- no secrets, tokens or credentials;" in text
    assert "Art. 9 data, applicant data, assessments of people, business contact details;" in text
    assert "- every entry is in the right store and scope (project / domain / core)." in text
    assert "Remove or fix anything wrong directly in ~/pi/brain/pi-memory-work on the host" in text
