"""The link to pi's compiled modules."""

from pathlib import Path

import pytest

from pi_sandbox.inside.compiled_modules import find_compiled_modules, hand_out_extension_modules


@pytest.mark.parametrize("uid", [0, 1000])
def test_the_users_folder_leads_to_what_the_image_has(tmp_path: Path, uid: int) -> None:
    built, linked = tmp_path / "built", tmp_path / "linked"
    (built / "v24.0.0-x64-abc-0").mkdir(parents=True)
    (built / "v24.0.0-x64-abc-0/module").write_text("compiled")
    assert find_compiled_modules(uid, built, linked) == {"NODE_COMPILE_CACHE": str(linked)}
    assert (linked / f"v24.0.0-x64-abc-{uid}/module").read_text() == "compiled"


@pytest.mark.parametrize("names", [[], ["one-0", "two-0"], ["other-7"]])
def test_an_image_with_none_or_several_gets_no_variable(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / "built" / name).mkdir(parents=True)
    assert find_compiled_modules(0, tmp_path / "built", tmp_path / "linked") == {}
    assert not (tmp_path / "linked").exists()


def test_what_the_image_made_of_the_extension_is_copied_to_where_the_loader_can_write(tmp_path: Path) -> None:
    made, cache = tmp_path / "made", tmp_path / "cache"
    made.mkdir()
    (made / "src-a.1.mjs").write_text("a")
    (made / "src-a.1.mjs").chmod(0o444)
    hand_out_extension_modules(made, cache)
    assert [(each.name, each.read_text()) for each in cache.iterdir()] == [("src-a.1.mjs", "a")]
    assert (cache / "src-a.1.mjs").stat().st_mode & 0o200
    hand_out_extension_modules(tmp_path / "nothing", tmp_path / "none")
    assert not (tmp_path / "none").exists()
