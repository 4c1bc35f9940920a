"""Which keys a store's `.git/config` may have (sandbox.md, "Sync", step 1). Pure: text in, refusals out.

- What is not on the list is refused, because it could run a program (`core.fsmonitor`, `filter.*`, `alias.*`), redirect
  a push (`url.*.insteadOf`, `remote.*.pushurl`, `http.*`), or pull in another file (`include.*`).
- On the list are the spec's core basics, `remote.*.url` and `fetch`, `branch.*`, `user.*`, and what git on macOS and
  Windows, editors and the forges' programs write and what only chooses how git behaves on the owner's machine.
- A listed key with a value that would do more is refused as well: a URL with a password, a second work tree.

No git command of the sync reads this file while the credential is there: it works from a git directory of its own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pi_sandbox.git_access.config_text import ConfigEntry

_Accepts = Callable[[str | None], bool]


@dataclass(frozen=True)
class RefusedKey:
    """A key that a store must not have, the file in `.git` that has it, and why, as the end of a sentence."""

    key: str
    file: str
    reason: str


def refused_keys(entries: Iterable[ConfigEntry]) -> tuple[RefusedKey, ...]:
    """Gives each key that is not allowed, once for each file that has it, in their order."""
    refused: dict[tuple[str, str], RefusedKey] = {}
    for entry in entries:
        reason = _refusal(entry)
        if reason is not None:
            refused.setdefault((entry.file, entry.key), RefusedKey(entry.key, entry.file, reason))
    return tuple(refused.values())


def last_value(entries: Sequence[ConfigEntry], key: str) -> str | None:
    """Gives the value of a key as git would: the last one counts."""
    return next((entry.value for entry in reversed(entries) if entry.key == key), None)


def is_true(entries: Sequence[ConfigEntry], key: str, *, default: bool) -> bool:
    """Gives a key as yes or no."""
    found = [entry.value for entry in entries if entry.key == key]
    return _says_yes(found[-1]) if found else default


def remote_names(entries: Iterable[ConfigEntry], url: str) -> Iterator[str]:
    """Yields the names of the remotes that have exactly this URL."""
    for entry in entries:
        if entry.key.startswith("remote.") and entry.key.endswith(".url") and entry.value == url:
            yield entry.key.removeprefix("remote.").removesuffix(".url")


def _refusal(entry: ConfigEntry) -> str | None:
    for pattern, accepts, reason in _RULES:
        if pattern.fullmatch(entry.key):
            return None if accepts(entry.value) else reason
    return "is not one of the keys that a store may have"


def _anything(_value: str | None) -> bool:
    return True


def _says_yes(value: str | None) -> bool:
    return value is None or value.lower() in ("true", "yes", "on", "1")


def _is_false(value: str | None) -> bool:
    return value is not None and value.lower() in ("false", "no", "off", "0", "")


def _one_of(*values: str) -> _Accepts:
    return lambda value: value is not None and value.lower() in values


def _is_printable(value: str | None) -> bool:
    return value is not None and value.isprintable() and not set(value) & set("<>")


def _url_without_credential(value: str | None) -> bool:
    """Whether nothing of a credential stands in a URL. `git@host` is a user name of SSH, and no secret."""
    if value is None or not value.isprintable() or "::" in value:
        return False
    scheme, separator, rest = value.partition("://")
    if not separator:
        return True
    user, at, _ = rest.partition("/")[0].rpartition("@")
    return not at or (scheme.lower() not in ("http", "https") and ":" not in user)


def _keys(text: str) -> re.Pattern[str]:
    """Turns key names, separated by blanks, into one pattern; `*` stands for any subsection."""
    names = [re.escape(name).replace(r"\*", r"(?s:.+)") for name in text.split()]
    return re.compile("|".join(names))


_RULES: tuple[tuple[re.Pattern[str], _Accepts, str], ...] = (
    (_keys("core.repositoryformatversion"), _one_of("0", "1"), "names a format that is not known here"),
    (_keys("core.bare core.fsmonitor"), _is_false, "may only be false"),
    (_keys("extensions.objectformat"), _one_of("sha1", "sha256"), "names a hash that is not known here"),
    (_keys("remote.*.url"), _url_without_credential, "has a user name or password in it, or names a program"),
    (_keys("user.name user.email"), _is_printable, "has control characters or <> in it"),
    (
        _keys(
            """
            core.abbrev core.autocrlf core.bigfilethreshold core.checkroundtripencoding core.checkstat core.commentchar
            core.commentstring core.compression core.eol core.filemode core.fscache core.fsyncmethod core.hidedotfiles
            core.ignorecase core.logallrefupdates core.longpaths core.loosecompression core.precomposeunicode
            core.preloadindex core.protecthfs core.protectntfs core.quotepath core.safecrlf core.sharedrepository
            core.sparsecheckout core.sparsecheckoutcone
            core.splitindex core.symlinks core.trustctime core.untrackedcache core.whitespace
            remote.*.fetch remote.*.tagopt remote.*.prune remote.*.prunetags remote.*.gh-resolved
            remote.*.skipdefaultupdate remote.*.skipfetchall remote.pushdefault
            branch.* user.* advice.* color.* column.*
            commit.gpgsign commit.verbose commit.cleanup commit.status tag.gpgsign tag.sort tag.forcesignannotated
            gpg.format fetch.prune fetch.prunetags fetch.parallel pull.rebase pull.ff pull.octopus
            push.default push.autosetupremote push.followtags push.gpgsign push.useforceifincludes
            merge.conflictstyle merge.ff merge.renames merge.log merge.stat rebase.autosquash rebase.autostash
            rebase.stat rebase.updaterefs rerere.enabled rerere.autoupdate
            diff.algorithm diff.colormoved diff.context diff.mnemonicprefix diff.noprefix diff.renames diff.renamelimit
            log.date log.decorate log.follow log.abbrevcommit status.short status.branch status.showuntrackedfiles
            status.submodulesummary gc.auto gc.autodetach gc.autopacklimit gc.pruneexpire gc.reflogexpire
            gc.reflogexpireunreachable gc.writecommitgraph maintenance.auto maintenance.strategy pack.threads
            pack.windowmemory index.version index.threads feature.manyfiles i18n.commitencoding i18n.logoutputencoding
            extensions.worktreeconfig index.sparse init.defaultbranch gui.geometry gui.wmstate gui.encoding
            lfs.repositoryformatversion lfs.*.access lfs.*.locksverify lfs.locksverify lfs.allowincompletepush
            """
        ),
        _anything,
        "",
    ),
)
