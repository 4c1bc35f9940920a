import io
import subprocess
import sys

import pytest

from pi_sandbox.memory_sync import credential_helper
from pi_sandbox.memory_sync.credential_helper import answer, main

URL = "https://git.example.org:8443/Me/notes%20here.git"
PLACE = "protocol=https\nhost=git.example.org:8443\npath=Me/notes here.git\n"
GIVEN = "username=me\npassword=to:ken%41\n"


def asked(text, url=URL):
    return answer(text.encode() if isinstance(text, str) else text, url, "me", "to:ken%41")


@pytest.mark.parametrize(
    "request_text",
    [
        PLACE,
        PLACE + "\n",
        "path=Me/notes here.git\nhost=git.example.org:8443\nprotocol=https\n\n",
        PLACE + "username=me\n",
        PLACE + 'capability[]=authtype\ncapability[]=state\nwwwauth[]=Basic realm="git"\nwwwauth[]=Bearer x\n',
        "protocol=https\nhost=git.example.org:8443\npath=Me/notes here.git",
    ],
)
def test_the_exact_url_is_answered(request_text):
    assert asked(request_text) == GIVEN


@pytest.mark.parametrize(
    "request_text",
    [
        "",
        "\n",
        "host=git.example.org:8443\npath=Me/notes here.git\n",
        "protocol=https\npath=Me/notes here.git\n",
        "protocol=https\nhost=\npath=Me/notes here.git\n",
        "protocol=\nhost=git.example.org:8443\npath=Me/notes here.git\n",
        "protocol=https\nhost=git.example.org:8443\n",
        "protocol=http\nhost=git.example.org:8443\npath=Me/notes here.git\n",
        "protocol=HTTPS\nhost=git.example.org:8443\npath=Me/notes here.git\n",
        "protocol=https\nhost=GIT.example.org:8443\npath=Me/notes here.git\n",
        "protocol=https\nhost=git.example.org\npath=Me/notes here.git\n",
        "protocol=https\nhost=git.example.org:443\npath=Me/notes here.git\n",
        "protocol=https\nhost=git.example.org:8443\npath=me/notes here.git\n",
        "protocol=https\nhost=git.example.org:8443\npath=Me/notes%20here.git\n",
        "protocol=https\nhost=git.example.org:8443\npath=/Me/notes here.git\n",
        "protocol=https\nhost=git.example.org:8443\npath=Me//notes here.git\n",
        "protocol=https\nhost=git.example.org:8443\npath=Me/../Me/notes here.git\n",
        "protocol=https\nhost=git.example.org:8443\npath=Me/notes here.git/\n",
        "protocol=https\nhost=git.example.org:8443\npath=Me/notes here\n",
        "protocol=https\nhost=evil.example\npath=Me/notes here.git\n",
        PLACE + "host=evil.example\n",
        PLACE + "host=git.example.org:8443\n",
        PLACE + "username=other\n",
        PLACE + "password=x\n",
        PLACE + "quit=1\n",
        PLACE + "url=https://evil.example\n",
        PLACE + "nonsense\n",
        PLACE.replace("\n", "\r\n"),
        PLACE.replace("https", "https\r"),
        PLACE + "wwwauth[]=a\0b\n",
        PLACE + "\nprotocol=https\n",
        PLACE.encode() + b"wwwauth[]=\xff\n",
        PLACE + "wwwauth[]=" + "x" * 70_000 + "\n",
    ],
)
def test_anything_else_gets_no_answer(request_text):
    assert asked(request_text) == ""


def test_a_trailing_slash_of_the_url_is_how_git_leaves_it_out():
    assert asked(PLACE, URL + "/") == GIVEN


def test_a_credential_with_a_line_end_is_never_handed_out():
    assert answer(PLACE.encode(), URL, "me", "a\nhost=b") == ""
    assert answer(PLACE.encode(), URL, "me\r", "a") == ""


@pytest.mark.parametrize("action", ["store", "erase", "GET", "capability"])
def test_another_action_than_get_does_nothing(tmp_path, monkeypatch, capsys, action):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLACE.encode())))

    assert main([str(tmp_path / "nothing"), action]) == 0
    assert capsys.readouterr().out == ""


def test_git_itself_gets_the_answer_and_can_store_nothing(tmp_path):
    file = tmp_path / "credential"
    file.write_text(f"{URL}\nme\nto:ken%41\n")
    helper = f"!{sys.executable} -I -m {credential_helper.__name__} {file}"
    options = ["-c", f"credential.helper={helper}", "-c", "credential.useHttpPath=true", "-c", "core.askPass=false"]

    def ask(action, url):
        return subprocess.run(
            ["git", *options, "credential", action],
            input=f"url={url}\n" + ("username=a\npassword=b\n" if action != "fill" else ""),
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": "/usr/bin:/bin", "GIT_TERMINAL_PROMPT": "0", "HOME": str(tmp_path)},
        )

    assert "password=to:ken%41" in ask("fill", URL).stdout
    assert "to:ken" not in ask("fill", URL.replace("Me", "Other")).stdout
    ask("approve", URL)
    ask("reject", URL)
    assert file.read_text() == f"{URL}\nme\nto:ken%41\n"
    assert [path.name for path in tmp_path.iterdir()] == ["credential"]
