"""Which settings change with a domain, and what is refused."""

from pathlib import Path

import pytest

from pi_sandbox.errors import PiSandboxError, SettingsError, UsageError
from pi_sandbox.settings.domain_changes import domain_added, domain_removed, parse_store_options
from pi_sandbox.settings.domains import choose_domain, choose_store
from pi_sandbox.settings.load import load_settings
from pi_sandbox.settings.settings import Settings, StoreSettings

NOTHING = StoreSettings(None, None, None)


def settings(text: str = "", **environ: str) -> Settings:
    return load_settings(environ, Path("/home/ada"), lambda path: text.encode())


def test_a_new_domain_joins_the_configured_ones_and_brings_its_own_settings() -> None:
    store = parse_store_options("https://git.example.org/a/b.git", "pass show it", "ada")
    domain, changes = domain_added("my-club", store, settings())
    assert domain == "my-club"
    assert changes == {
        "PI_SANDBOX_DOMAINS": "private,work,my-club",
        "BRAIN_MY_CLUB_URL": "https://git.example.org/a/b.git",
        "BRAIN_MY_CLUB_TOKEN_CMD": "pass show it",
        "BRAIN_MY_CLUB_USER": "ada",
    }
    assert domain_added("my-club", NOTHING, settings())[1] == {"PI_SANDBOX_DOMAINS": "private,work,my-club"}


@pytest.mark.parametrize("name", ["core", "My-Club", "my_club", "", "-a", "a--b", "a/b", "a\nb", "ä", "a]"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(SettingsError):
        domain_added(name, NOTHING, settings())


def test_a_domain_that_is_there_is_refused() -> None:
    with pytest.raises(UsageError, match="is a domain already"):
        domain_added("work", NOTHING, settings())


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--url", "https://ada@git.example.org/a"),
        ("--url", "https://ada:word@git.example.org/a"),
        ("--url", "http://git.example.org/a"),
        ("--url", "https://git.example.org/a\nb"),
        ("--url", ""),
        ("--user", "ada:word"),
        ("--user", "a\nb"),
        ("--token-cmd", "pass 'show"),
        ("--token-cmd", " "),
    ],
)
def test_a_value_that_no_setting_could_have_is_refused_with_its_option_and_not_shown(option: str, value: str) -> None:
    given = dict.fromkeys(("--url", "--token-cmd", "--user")) | {option: value}
    with pytest.raises(UsageError) as refused:
        parse_store_options(given["--url"], given["--token-cmd"], given["--user"])
    assert refused.value.message.startswith(f"{option} ")
    assert "word" not in refused.value.message.replace("password", "")


def test_a_removed_domain_takes_its_own_settings_with_it() -> None:
    domain, changes = domain_removed("work", settings("BRAIN_WORK_URL=https://git.example.org/a\n"))
    assert domain == "work"
    assert changes == {
        "PI_SANDBOX_DOMAINS": "private",
        "BRAIN_WORK_URL": None,
        "BRAIN_WORK_TOKEN_CMD": None,
        "BRAIN_WORK_USER": None,
    }


def test_the_last_domain_and_an_unknown_one_stay() -> None:
    with pytest.raises(UsageError, match="last domain"):
        domain_removed("private", settings("PI_SANDBOX_DOMAINS=private\n"))
    with pytest.raises(UsageError, match="not a configured domain"):
        domain_removed("club", settings())


def test_what_the_environment_sets_cannot_be_changed_in_the_file() -> None:
    from_environment = settings(PI_SANDBOX_DOMAINS="private,work")
    for change in (
        lambda: domain_added("x", NOTHING, from_environment),
        lambda: domain_removed("work", from_environment),
    ):
        with pytest.raises(UsageError, match="the environment sets PI_SANDBOX_DOMAINS, which overrides"):
            change()
    with pytest.raises(UsageError, match="the environment sets BRAIN_WORK_USER"):
        domain_removed("work", settings(BRAIN_WORK_USER="ada"))


def test_core_is_no_domain_to_choose_and_an_unknown_one_gets_the_list() -> None:
    domains = settings().domains
    assert choose_domain("work", domains) == "work"
    with pytest.raises(PiSandboxError, match="part of every domain's memory"):
        choose_domain("core", domains)
    with pytest.raises(PiSandboxError) as refused:
        choose_domain("club", domains)
    assert refused.value.hint.startswith("the domains are private, work;")
    with pytest.raises(PiSandboxError) as refused:
        choose_domain("Privat", domains)
    assert refused.value.hint.startswith("did you mean private? the domains are")
    assert choose_store("core", domains) == "core"
    assert choose_store("work", domains) == "work"
    with pytest.raises(PiSandboxError, match="not a configured domain"):
        choose_store("club", domains)


@pytest.mark.parametrize("url", ["https://git.example.org/a", "https://GIT.example.org:443/A.git/"])
def test_a_new_domain_is_not_pushed_to_where_another_store_is(url: str) -> None:
    there = settings("BRAIN_CORE_URL=https://git.example.org/a.git\n")
    with pytest.raises(UsageError, match="--url names the repository that the store core is pushed to") as refused:
        domain_added("my-club", StoreSettings(url, None, None), there)
    assert "a repository of its own" in refused.value.hint
    other = StoreSettings("https://git.example.org/b.git", None, None)
    assert domain_added("my-club", other, there)[0] == "my-club"


def test_a_name_has_at_most_32_characters() -> None:
    assert domain_added("a" * 32, NOTHING, settings())[0] == "a" * 32
    with pytest.raises(SettingsError, match="too long"):
        domain_added("a" * 33, NOTHING, settings())
