"""What a background task may overwrite and edit."""

import contextlib
import os
import tempfile
import threading
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory.baseline import (
    BaselineRule,
    Baselines,
    FileVersion,
    judge_edit,
    judge_write,
)
from pi_sandbox.project_memory.memory_files import SeenFile, read_for_baseline

NONE = Baselines()
OLD, NEW = FileVersion("old", 1_000), FileVersion("new", 2_000)
READ = NONE.after_read("/m/a.md", OLD, truncated=False, image=False)


def test_a_new_file_needs_no_baseline() -> None:
    assert judge_write(NONE, "/m/a.md", None).rule is BaselineRule.NEW_FILE
    assert judge_write(READ, "/m/a.md", None).allowed


def test_a_file_that_was_not_read_in_this_task_is_neither_written_nor_edited() -> None:
    for decision in (judge_write(NONE, "/m/a.md", OLD), judge_edit(NONE, "/m/a.md", OLD, "text", ["text"])):
        assert decision.rule is BaselineRule.NOT_READ
        assert "Read it with `read` first" in decision.reason
        assert not decision.allowed


def test_a_file_that_was_read_may_be_written_and_edited() -> None:
    assert judge_write(READ, "/m/a.md", OLD).allowed
    assert judge_edit(READ, "/m/a.md", OLD, "text", ["nowhere"]).rule is BaselineRule.UNCHANGED


def test_another_file_was_not_read_by_that() -> None:
    assert not judge_write(READ, "/m/b.md", OLD).allowed


@pytest.mark.parametrize("modified_ms", [999, 1_000, 1_001])
def test_changed_content_is_refused_whether_its_time_is_later_the_same_or_set_back(modified_ms: int) -> None:
    decision = judge_write(READ, "/m/a.md", FileVersion("new", modified_ms))
    assert decision.rule is BaselineRule.CHANGED
    assert "Read it again" in decision.reason


@pytest.mark.parametrize("modified_ms", [999, 1_000, 1_001])
def test_a_file_that_was_only_touched_may_be_written(modified_ms: int) -> None:
    assert judge_write(READ, "/m/a.md", FileVersion("old", modified_ms)).rule is BaselineRule.UNCHANGED


@pytest.mark.parametrize(("truncated", "image"), [(True, False), (False, True), (True, True)])
def test_a_page_that_was_cut_by_itself_and_an_image_take_the_baseline_away(truncated: bool, image: bool) -> None:
    after = READ.after_read("/m/a.md", OLD, truncated=truncated, image=image)
    assert judge_write(after, "/m/a.md", OLD).rule is BaselineRule.NOT_READ


def test_the_latest_page_makes_the_baseline() -> None:
    after = READ.after_read("/m/a.md", NEW, truncated=False, image=False)
    assert judge_write(after, "/m/a.md", NEW).allowed
    assert not judge_write(after, "/m/a.md", OLD).allowed


def test_what_a_task_wrote_it_may_write_again_and_what_it_deleted_it_may_not() -> None:
    assert judge_write(NONE.with_version("/m/a.md", NEW), "/m/a.md", NEW).allowed
    assert not judge_write(READ.without("/m/a.md"), "/m/a.md", OLD).allowed


@pytest.mark.parametrize(
    ("text", "old_texts"),
    [
        ("one two three", ["two"]),
        ("one two three", ["one", "three"]),
        ("one\r\ntwo\r\n", ["one\ntwo"]),
        ("\ufeffone", ["one"]),
        ("one\rtwo", ["one\r\ntwo"]),
    ],
)
def test_an_edit_of_a_changed_file_goes_through_if_each_old_text_stands_there_once(
    text: str, old_texts: list[str]
) -> None:
    assert judge_edit(READ, "/m/a.md", NEW, text, old_texts).rule is BaselineRule.RECOVERED


@pytest.mark.parametrize(
    ("text", "old_texts"),
    [
        ("one two", ["three"]),
        ("one one", ["one"]),
        ("aaa", ["aa"]),
        ("one two two", ["one", "two"]),
        ("one", []),
        ("one", [""]),
        ("one", ["one", ""]),
        ("One", ["one"]),
        ("one two", ["one  two"]),
    ],
)
def test_otherwise_it_is_refused(text: str, old_texts: list[str]) -> None:
    assert judge_edit(READ, "/m/a.md", NEW, text, old_texts).rule is BaselineRule.CHANGED


def test_a_file_is_read_with_the_digest_of_its_bytes_and_its_time_in_whole_milliseconds(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"a\xffb")
    os.utime(path, ns=(0, 1_999_999))
    seen = read_for_baseline(path)
    assert seen == SeenFile(b"a\xffb", FileVersion(sha256(b"a\xffb").hexdigest(), 1))
    assert seen.text == "a\ufffdb"


def test_a_link_is_followed_and_a_missing_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "link.md").symlink_to("a.md")
    assert read_for_baseline(tmp_path / "link.md") == read_for_baseline(tmp_path / "a.md")
    assert read_for_baseline(tmp_path / "missing.md") is None


@pytest.mark.parametrize("name", ["folder", "pipe", "/dev/zero", "loop"])
def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FilesError):
        read_for_baseline(tmp_path / name)


def test_a_file_that_changes_while_it_is_read_is_no_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    path.write_text("a")
    reading = os.read

    def meddling(descriptor: int, size: int) -> bytes:
        path.write_text(path.read_text() + "b")
        return reading(descriptor, size)

    monkeypatch.setattr(os, "read", meddling)
    with pytest.raises(FilesError, match="changes while it is read"):
        read_for_baseline(path)


def test_a_file_that_is_written_all_the_time_is_only_ever_seen_in_one_of_its_states(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    states = [letter * 50_000 for letter in "abc"]
    path.write_text(states[0])
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            for state in states:
                beside = tmp_path / "beside"
                beside.write_text(state)
                beside.replace(path)

    writer = threading.Thread(target=write)
    writer.start()
    seen = []
    try:
        # A machine that is busy enough changes the file in every one of the readings that one call tries.
        for _ in range(20_000):
            with contextlib.suppress(FilesError):
                seen.append(read_for_baseline(path))
            if len(seen) == 200:
                break
    finally:
        done.set()
        writer.join()
    assert len(seen) == 200
    assert {each.text for each in seen} <= set(states)


CONTENTS = st.sampled_from(["", "a", "b", "same length", "SAME LENGTH", "one two", "two one"])
FILES = st.sampled_from(["a.md", "b.md"])


class BaselinesAgainstAModel(RuleBasedStateMachine):
    """The model: what the task last saw of each file, as text. Times go forward, stand still and go back at will."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.baselines = Baselines()
        self.last_seen: dict[str, str] = {}
        self.contents: dict[str, str] = {}

    def teardown(self) -> None:
        self.folder.cleanup()

    def path(self, name: str) -> Path:
        return Path(self.folder.name) / name

    def put(self, name: str, content: str, modified_ns: int) -> None:
        self.path(name).write_text(content)
        os.utime(self.path(name), ns=(modified_ns, modified_ns))
        self.contents[name] = content

    def current(self, name: str) -> SeenFile | None:
        return read_for_baseline(self.path(name))

    @rule(name=FILES, content=CONTENTS, modified_ns=st.sampled_from([0, 1, 999_999, 1_000_000, 5_000_000]))
    def someone_else_writes(self, name: str, content: str, modified_ns: int) -> None:
        self.put(name, content, modified_ns)

    @rule(name=FILES)
    def someone_else_deletes(self, name: str) -> None:
        self.path(name).unlink(missing_ok=True)
        self.contents.pop(name, None)

    @rule(name=FILES, truncated=st.booleans(), image=st.booleans())
    def the_task_reads(self, name: str, truncated: bool, image: bool) -> None:
        seen = self.current(name)
        if seen is None:
            return
        self.baselines = self.baselines.after_read(name, seen.version, truncated=truncated, image=image)
        self.last_seen.pop(name, None)
        if not truncated and not image:
            self.last_seen[name] = self.contents[name]

    @rule(name=FILES, content=CONTENTS)
    def the_task_writes(self, name: str, content: str) -> None:
        seen = self.current(name)
        decision = judge_write(self.baselines, name, seen.version if seen else None)
        assert decision.allowed == (name not in self.contents or self.last_seen.get(name) == self.contents[name])
        if decision.allowed:
            self.put(name, content, 1_000_000)
            written = self.current(name)
            assert written is not None
            self.baselines = self.baselines.with_version(name, written.version)
            self.last_seen[name] = content

    @rule(name=FILES, old=st.sampled_from(["one", "two", "a", "SAME"]))
    def the_task_edits(self, name: str, old: str) -> None:
        seen = self.current(name)
        if seen is None:
            return
        decision = judge_edit(self.baselines, name, seen.version, seen.text, [old])
        content = self.contents[name]
        unchanged = self.last_seen.get(name) == content
        assert decision.allowed == (name in self.last_seen and (unchanged or content.count(old) == 1))


TestBaselinesAgainstAModel = BaselinesAgainstAModel.TestCase
TestBaselinesAgainstAModel.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
