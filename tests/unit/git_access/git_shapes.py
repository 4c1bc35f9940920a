"""Folders that are nearly, hardly or surely repositories, each made from a seed, and what git itself says about one."""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

REF = b"ref: refs/heads/main\n"
ID = b"0123456789abcdef0123456789abcdef01234567"
FOREIGN = b"[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tworktreeConfig = true\n"

Make = Callable[[Path], object]


def file(content: bytes, mode: int = 0o644) -> Make:
    def make(path: Path) -> None:
        path.write_bytes(content)
        path.chmod(mode)

    return make


def link(target: str) -> Make:
    return lambda path: path.symlink_to(target)


def folder(mode: int = 0o755) -> Make:
    return lambda path: path.mkdir(mode=mode)


def nothing(path: Path) -> None:
    """Makes nothing."""


def surroundings(base: Path) -> None:
    """Makes what the shapes lead to: a whole repository, halves of one, a folder that borrows again, plain files."""
    for name in ("objects", "refs"):
        (base / "lib/common" / name).mkdir(parents=True)
        (base / "lib/whole" / name).mkdir(parents=True)
    (base / "lib/common/config").write_bytes(FOREIGN)
    (base / "lib/whole/HEAD").write_bytes(REF)
    (base / "lib/objects only/objects").mkdir(parents=True)
    (base / "lib/borrows").mkdir()
    (base / "lib/borrows/HEAD").write_bytes(REF)
    (base / "lib/borrows/commondir").write_bytes(b"../common\n")
    (base / "lib/chain/objects").mkdir(parents=True)
    (base / "lib/chain/commondir").write_bytes(b"../common\n")
    (base / "lib/link").symlink_to("common")
    (base / "lib/way").write_bytes(b"../lib/common\n")
    (base / "lib/gitfile").write_bytes(b"gitdir: ../lib/whole\n")


_HEADS: tuple[Make, ...] = (
    *(file(text) for text in (b"ref:refs/x", b"ref: \t refs/heads/m", b"ref: refs/" + b"x" * 400, ID, ID + b"24 junk")),
    *(
        file(text)
        for text in (b"ref: other\n", b"ref", ID[:39], b"", b"hello\n", b"\0" + REF, b"REF: refs/x", REF + b"y")
    ),
    *(link(target) for target in ("refs/heads/main", "refs/", "refs", "../lib/whole/HEAD", "/refs/heads/x", "nowhere")),
    folder(),
    file(REF, 0),
)
_PARTS: tuple[Make, ...] = (
    folder(0),
    file(b""),
    file(b"", 0o755),
    link("../lib/common/refs"),
    link("nowhere"),
    link("../lib/way"),
)
_CONFIGS: tuple[Make, ...] = (
    *(
        file(text)
        for text in (b"", b"[core]\n\tbare = true\n", FOREIGN, b"[core", b"[core]\n\trepositoryformatversion = 99\n")
    ),
    file(b"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheardOf = true\n"),
    link("../lib/common/config"),
    folder(),
)


def _ways(base: Path) -> tuple[bytes, ...]:
    """What a `commondir` may say."""
    whole = os.fsencode(base / "lib/common")
    odd = (
        b"",
        b"\n",
        b".",
        b"..",
        b"../lib/objects only",
        b"../lib/borrows",
        b"../lib/chain",
        b"../nowhere/x",
        b"../lib/way",
    )
    return (
        *(
            b"../lib/common" + end
            for end in (b"", b"\n", b"\r\n\r\n", b" \n", b" ", b"\0", b"\0../x\n", b"/", b"/.", b"\nx")
        ),
        *(
            whole,
            whole + b"\n",
            b"../lib/link",
            b"./" * 3000 + b"../lib/common",
            b"../x/../lib/./common",
            b" ../lib/common",
        ),
        *odd,
    )


def _gitfiles(base: Path) -> tuple[bytes, ...]:
    """What a `.git` that is a file may say."""
    whole = os.fsencode(base / "lib/whole")
    return (
        *(b"gitdir: ../lib/whole" + end for end in (b"", b"\n", b"\r\n", b"\n\n", b" ", b"\0x", b"/", b"\nx")),
        *(
            b"gitdir: " + whole + b"\n",
            b"gitdir: ../lib/borrows\n",
            b"gitdir: .\n",
            b"gitdir: ..\n",
            b"gitdir: hidden\n",
        ),
        *(
            b"gitdir:../lib/whole\n",
            b"gitdir: ../lib/common\n",
            b"GITDIR: ../lib/whole",
            b"",
            b"gitdir: ../lib/whole\n" * 60000,
        ),
    )


def _git_directory(random: Random, base: Path) -> dict[str, Make]:
    def mostly(good: Make, others: tuple[Make, ...]) -> Make:
        return random.choices((good, nothing, random.choice(others)), (5, 2, 2))[0]

    common = file(random.choice(_ways(base)))
    return {
        "HEAD": mostly(file(REF), _HEADS),
        "objects": mostly(folder(), _PARTS),
        "refs": mostly(folder(), _PARTS),
        "commondir": random.choices(
            (nothing, common, random.choice((folder(), link("../lib/way"), link("nowhere")))), (4, 4, 1)
        )[0],
        "config": random.choice((nothing, *_CONFIGS)),
        "config.worktree": random.choice((nothing, file(b"[core]\n\tbare = false\n"))),
        "hooks": random.choice((nothing, folder())),
    }


def build(seed: int, base: Path) -> Path:
    """Makes the folder of a seed beside its surroundings, which have to be there, and gives it."""
    random = Random(seed)
    place = base / f"{seed}"
    place.mkdir()
    if random.random() < 0.6:
        _make(place, _git_directory(random, base))
    if random.random() < 0.4:
        git = place / random.choice((".git", ".git", ".git", ".GIT", ".git ", "git~1", ".g\u200cit", "git", "x.git"))
        match random.choice(("folder", "folder", "file", "link")):
            case "folder":
                git.mkdir()
                _make(git, _git_directory(random, base))
            case "file":
                git.write_bytes(random.choice(_gitfiles(base)))
            case "link":
                git.symlink_to(
                    random.choice(("../lib/whole", "../lib/borrows", "../lib/gitfile", "../lib/common", "nowhere", "."))
                )
    for name in random.sample(("README.md", "src", "head", "Refs", "index", "packed-refs"), random.randrange(3)):
        if not os.path.lexists(place / name):
            random.choice((file(b"x"), folder()))(place / name)
    return place


def _make(place: Path, parts: Mapping[str, Make]) -> None:
    for name, make in parts.items():
        make(place / name)


def git_takes(place: Path, *, up_to: Path | None = None, **environ: str) -> bool:
    """Whether git finds a repository in the folder; from it upwards, not further than `up_to`."""
    return _ask_git(place, (up_to or place).parent, "--git-dir", environ) is not None


def folder_of_settings(place: Path) -> Path | None:
    """Where git looks for `config` and hooks, links resolved; None where it finds no repository in the folder."""
    said = _ask_git(place, place.parent, "--git-common-dir", {})
    return None if said is None else (place / said).resolve()


def _ask_git(place: Path, ceiling: Path, question: str, environ: Mapping[str, str]) -> str | None:
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(ceiling),
        **environ,
    }
    options = ("-c", "safe.directory=*", "-c", "safe.bareRepository=all")
    command = ("git", *options, "rev-parse", question)
    asked = subprocess.run(command, cwd=place, env=environment, capture_output=True, timeout=20, check=False)
    return os.fsdecode(asked.stdout.removesuffix(b"\n")) if asked.returncode == 0 else None
