import pytest

from pi_sandbox.git_access.object_data import MalformedObjectError, parse_commit

NAME, TREE, PARENT = "1" * 40, "2" * 40, "3" * 40
WHO = "A B <a@localhost> 1700000000 +0130"
PLAIN = f"tree {TREE}\nparent {PARENT}\nauthor {WHO}\ncommitter {WHO}\n"

ACCEPTED = {
    "plain": f"{PLAIN}\nsubject\n",
    "no message": f"{PLAIN}\n",
    "a first commit": f"tree {TREE}\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "a merge": f"tree {TREE}\nparent {PARENT}\nparent {NAME}\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "no name": f"tree {TREE}\nauthor <a@b> 0 -1200\ncommitter <> 1 +0000\n\nx",
    "a signature and an encoding": f"{PLAIN}encoding ISO-8859-1\ngpgsig -----BEGIN\n \n abc\n -----END\n\nx",
}
REFUSED = {
    "no tree": f"author {WHO}\ncommitter {WHO}\n\nx",
    "two trees": f"tree {TREE}\n{PLAIN}\nx",
    "a parent that is no id": f"tree {TREE}\nparent x\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "an id of another hash": f"tree {'2' * 64}\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "two authors": f"tree {TREE}\nauthor {WHO}\nauthor {WHO}\ncommitter {WHO}\n\nx",
    "no committer": f"tree {TREE}\nauthor {WHO}\n\nx",
    "a late header": f"{PLAIN}parent {PARENT}\n\nx",
    "text behind the time": f"tree {TREE}\nauthor {WHO} x\ncommitter {WHO}\n\nx",
    "a time that is a long number": f"tree {TREE}\nauthor A <a@b> 4111111111111111 +0000\ncommitter {WHO}\n\nx",
    "a bracket in the name": f"tree {TREE}\nauthor A> <a@b> 1 +0000\ncommitter {WHO}\n\nx",
    "a NUL in a header": f"{PLAIN}x y\0z\n\nx",
    "a line that is no header": f"{PLAIN}nothing\n\nx",
    "no end of the headers": PLAIN,
    "nothing": "",
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_a_commit_as_git_writes_it_is_taken_apart_whole(text):
    commit = parse_commit(NAME, text.encode())

    assert f"{commit.header}\n\n{commit.message}" == text
    assert commit.tree == TREE


def test_the_parts_of_a_commit_are_told_apart():
    commit = parse_commit(NAME, ACCEPTED["a signature and an encoding"].encode())

    assert (commit.parents, commit.identities) == ((PARENT,), ("A B <a@localhost>", "A B <a@localhost>"))
    assert commit.other_headers == ("encoding ISO-8859-1", "gpgsig -----BEGIN", " ", " abc", " -----END")


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_a_commit_that_git_would_not_write_is_refused(text):
    with pytest.raises(MalformedObjectError):
        parse_commit(NAME, text.encode())
