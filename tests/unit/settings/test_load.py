from pathlib import Path

import pytest

from pi_sandbox.errors import SettingsError
from pi_sandbox.settings.load import load_settings
from pi_sandbox.settings.settings import Limits, Origin, Proxies, StoreSettings

USER_HOME = Path("/home/someone")
FILE = "/home/someone/pi/.env"


def load(environ=None, file=None):
    def read_env_file(path):
        assert str(path) == FILE
        return None if file is None else file.encode()

    return load_settings(environ or {}, USER_HOME, read_env_file)


def refusal(environ=None, file=None):
    with pytest.raises(SettingsError) as refused:
        load(environ, file)
    return refused.value


def test_nothing_set_gives_the_defaults():
    settings = load()

    assert settings.home == USER_HOME / "pi"
    assert settings.domains == ("private", "work")
    assert settings.limits == Limits(memory_bytes=4 * 1024**3, cpus=2.0, processes=1024)
    assert settings.stores == {name: StoreSettings(None, None, None) for name in ("core", "private", "work")}
    assert (settings.base_image, settings.ca_bundle, settings.runtime, settings.pass_secrets) == (None, None, None, ())
    assert settings.proxies == Proxies(None, None, None)
    assert set(settings.origins.values()) == {Origin.DEFAULT}


def test_the_home_of_the_environment_decides_which_file_is_read():
    seen = []
    load_settings({"PI_SANDBOX_HOME": "/data/pi"}, USER_HOME, lambda path: seen.append(path))

    assert seen == [Path("/data/pi/.env")]


def test_every_setting_can_stand_in_the_file():
    settings = load(
        file="""
        PI_SANDBOX_DOMAINS="private, my-club"
        PI_SANDBOX_BASE_IMAGE=registry.example.org:5000/debian:trixie-slim
        PI_SANDBOX_CA_BUNDLE=/etc/ssl/company.pem
        PI_SANDBOX_PASS_SECRETS=ANTHROPIC_API_KEY,OPENAI_API_KEY
        PI_SANDBOX_MEMORY=512m
        PI_SANDBOX_CPUS=1.5
        PI_SANDBOX_PIDS=500
        PI_SANDBOX_RUNTIME=runsc
        BRAIN_CORE_URL=https://codeberg.org/me/pi-memory-core.git
        BRAIN_CORE_TOKEN_CMD="op read op://Private/x/credential"
        BRAIN_MY_CLUB_USER=me
        """
    )

    assert settings.domains == ("private", "my-club")
    assert settings.base_image == "registry.example.org:5000/debian:trixie-slim"
    assert settings.ca_bundle == Path("/etc/ssl/company.pem")
    assert settings.pass_secrets == ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")
    assert settings.limits == Limits(512 * 1024**2, 1.5, 500)
    assert settings.runtime == "runsc"
    assert settings.stores["core"] == StoreSettings(
        "https://codeberg.org/me/pi-memory-core.git", "op read op://Private/x/credential", None
    )
    assert settings.stores["my-club"] == StoreSettings(None, None, "me")
    assert settings.origins["BRAIN_MY_CLUB_USER"] is Origin.ENV_FILE
    assert settings.origins["PI_SANDBOX_HOME"] is Origin.DEFAULT


def test_the_environment_wins_over_the_file():
    settings = load({"BRAIN_CORE_TOKEN_CMD": "pass show b"}, "BRAIN_CORE_TOKEN_CMD='op read a'\nPI_SANDBOX_CPUS=3\n")

    assert settings.stores["core"].token_command == "pass show b"
    assert settings.origins["BRAIN_CORE_TOKEN_CMD"] is Origin.ENVIRONMENT
    assert settings.limits.cpus == 3.0
    assert settings.origins["PI_SANDBOX_CPUS"] is Origin.ENV_FILE


def test_a_value_of_the_file_must_be_valid_even_where_the_environment_wins():
    assert f'"{FILE}" line 1' in refusal({"PI_SANDBOX_CPUS": "2"}, "PI_SANDBOX_CPUS=many\n").message


def test_other_names_of_the_environment_are_none_of_our_business():
    assert load({"PATH": "", "EDITOR": "", "PISANDBOX_X": "1", "pi_sandbox_home": "x"}).home == USER_HOME / "pi"


@pytest.mark.parametrize("name", ["PI_SANDBOX_MEMROY", "PI_SANDBOX_", "BRAIN_CORE_URI", "BRAIN_", "BRAIN_URL"])
def test_an_unknown_name_of_ours_in_the_environment_is_refused(name):
    message = refusal({name: "some-value"}).message

    assert "the environment sets" in message
    assert "some-value" not in message


@pytest.mark.parametrize("line", ["PI_SANDBOX_MEMROY=4g", "EDITOR=vim", "brain_core_url=https://a/b", "PATH=/x"])
def test_an_unknown_name_in_the_file_is_refused_with_its_line(line):
    message = refusal(file=f"\n{line}\n").message

    assert f'"{FILE}" line 2 sets' in message
    assert "is not a setting of pi-sandbox" in message


@pytest.mark.parametrize(
    ("line", "message", "advice"),
    [
        (
            "PI_SANDBOX_MEMROY=4g",
            "PI_SANDBOX_MEMROY",
            "did you mean PI_SANDBOX_MEMORY? Correct the name, or remove the",
        ),
        ("pi_sandbox_cpus=4", "pi_sandbox_cpus", "did you mean PI_SANDBOX_CPUS?"),
        ("FOO=bar", "FOO, which is not a setting", "the settings are PI_SANDBOX_DOMAINS, PI_SANDBOX_BASE_IMAGE, "),
        ("editor=vim", "editor", "BRAIN_<ID>_URL"),
        ("ANTHROPIC_API_KEY=x", "ANTHROPIC_API_KEY", "`pi-sandbox secret set NAME` keeps one in the keyring"),
    ],
)
def test_an_unknown_name_in_the_file_is_told_with_what_was_meant(line, message, advice):
    error = refusal(file=f"{line}\n")

    assert message in error.message
    assert advice in error.hint
    assert "init" not in error.hint


def test_an_unknown_name_in_the_environment_is_not_told_to_be_a_line():
    hint = refusal({"PI_SANDBOX_MEMROY": "4g"}).hint

    assert "unset the variable" in hint
    assert "line" not in hint


def test_a_misspelled_name_is_shown():
    assert "PI_SANDBOX_MEMROY" in refusal(file="PI_SANDBOX_MEMROY=4g\n").message


def test_a_pasted_token_that_looks_like_a_name_is_not_shown():
    error = refusal(file="eDdRcDJtWnQ5TGs0Vnc4Ug==\n")

    assert "line 1 sets a name" in error.message
    assert "eDdRcDJ" not in error.message + error.hint


def test_a_setting_of_a_domain_that_is_not_configured_names_the_domain():
    error = refusal({"BRAIN_MY_CLUB_URL": "https://git.example.org/x"})

    assert 'BRAIN_MY_CLUB_URL, but "my-club" is not a domain' in error.message
    assert "core, private, work" in error.hint


def test_a_token_as_a_setting_is_refused_without_showing_it():
    error = refusal(file="BRAIN_CORE_TOKEN=x7Qp2mZt9Lk4Vw8R\n")

    assert "a token is never a setting" in error.message
    assert "x7Qp2m" not in error.message + error.hint


@pytest.mark.parametrize("name", ["PI_SANDBOX_HOME", "PI_SANDBOX_DEBUG"])
def test_what_belongs_to_the_environment_is_refused_in_the_file(name):
    message = refusal(file=f"{name}={'/data/pi' if name.endswith('HOME') else '1'}\n").message

    assert f"line 1 sets {name}, which only the environment can set" in message


@pytest.mark.parametrize("name", ["PI_SANDBOX_HOME", "PI_SANDBOX_DOMAINS", "PI_SANDBOX_MEMORY", "BRAIN_CORE_USER"])
@pytest.mark.parametrize("value", ["", " ", "\t"])
def test_an_empty_value_in_the_environment_is_refused(name, value):
    assert refusal({name: value}).message == f"the environment sets {name} to nothing"


@pytest.mark.parametrize("value", ["pi", "~/pi", "./pi", "/", "/home/../pi", "/home/p\x1bi", "/home/\udcff"])
def test_a_home_that_is_not_a_plain_absolute_path_is_refused(value):
    message = refusal({"PI_SANDBOX_HOME": value}).message

    assert message.startswith("the environment sets PI_SANDBOX_HOME to ")
    assert message.isprintable()


def test_a_bad_value_is_shown_where_it_cannot_be_a_credential():
    assert 'PI_SANDBOX_MEMORY to "lots", which is not an amount' in refusal({"PI_SANDBOX_MEMORY": "lots"}).message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PI_SANDBOX_PASS_SECRETS", "sk-pasted-value"),
        ("BRAIN_CORE_URL", "https://me:sk-pasted-value@git.example.org/x"),
        ("BRAIN_CORE_USER", "me:sk-pasted-value"),
        ("BRAIN_CORE_TOKEN_CMD", "echo 'sk-pasted-value"),
    ],
)
def test_a_bad_value_is_not_shown_where_it_may_be_a_credential(name, value):
    error = refusal({name: value})

    assert f"sets {name} to a value that" in error.message
    assert "sk-pasted-value" not in error.message + error.hint
    assert "sk-pasted-value" not in str(error.__cause__)


@pytest.mark.parametrize("url", ["https://git.example.org/memory", "https://Git.Example.org:443/memory.git/"])
def test_two_stores_in_one_repository_are_refused_with_both_names(url):
    file = f"BRAIN_PRIVATE_URL=https://git.example.org/memory.git\nBRAIN_CORE_URL={url}\n"
    error = refusal(file=file)

    assert "BRAIN_CORE_URL and BRAIN_PRIVATE_URL name the same repository" in error.message
    assert load(file=file.replace("memory.git", "private.git", 1)).stores["private"].url is not None


def test_the_container_itself_is_no_place_to_push_to():
    assert "the sync's container itself" in refusal({"BRAIN_CORE_URL": "https://localhost:8443/core.git"}).message


def test_debug_is_one_or_zero():
    assert load({"PI_SANDBOX_DEBUG": "1"}).origins["PI_SANDBOX_DEBUG"] is Origin.ENVIRONMENT
    assert "neither 1 nor 0" in refusal({"PI_SANDBOX_DEBUG": "yes"}).message


def test_the_lower_case_proxy_wins_and_an_empty_one_means_none():
    environ = {
        "http_proxy": "http://lower:3128",
        "HTTP_PROXY": "http://upper:3128",
        "HTTPS_PROXY": "http://upper:3129",
        "no_proxy": "",
        "NO_PROXY": "example.org",
    }

    assert load(environ).proxies == Proxies("http://lower:3128", "http://upper:3129", None)


def test_a_proxy_with_a_line_end_in_it_is_refused_without_showing_it():
    error = refusal({"https_proxy": "http://me:hidden-word@proxy:3128\nX: y"})

    assert "https_proxy" in error.message
    assert "hidden-word" not in error.message + error.hint


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "ALL_PROXY", "PI_SANDBOX_HTTP_PROXY"])
def test_a_proxy_in_the_file_is_refused_and_the_place_for_it_is_named(name):
    error = refusal(file=f"{name}=http://me:hidden-word@proxy:3128\n")

    assert "is not a setting of pi-sandbox" in error.message
    assert error.hint.startswith("remove the line: proxies come from the environment alone")
    assert "export HTTPS_PROXY=" in error.hint
    assert "hidden-word" not in error.message + error.hint


def test_a_proxy_under_a_name_of_ours_in_the_environment_is_refused_with_the_right_one():
    assert "unset the variable: proxies come" in refusal({"PI_SANDBOX_HTTPS_PROXY": "http://proxy:3128"}).hint


def test_a_name_that_only_ends_like_a_proxy_is_any_unknown_name():
    assert "proxies come" not in refusal(file="MYPROXY=x\n").hint
