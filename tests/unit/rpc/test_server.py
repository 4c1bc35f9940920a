"""The server reads and writes one JSON text a line, answers side by side, and ends when its input is closed."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.rpc import server
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.dispatch import SCHEMA_FILE, Answering
from pi_sandbox.rpc.errors import ErrorCode, RequestError
from pi_sandbox.rpc.server import Lines, Output, Server, stopping_signals

METHODS = json.loads(SCHEMA_FILE.read_text("utf-8"))["methods"]


class Client:
    """Talks to a server that runs in a thread of this process."""

    def __init__(self, **methods: Any) -> None:
        self._requests, self._to_server = os.pipe()
        self._from_server, answers = os.pipe()
        table = {name: lambda params, call: {} for name in METHODS} | {
            name.replace("_", "/"): method for name, method in methods.items()
        }
        self.output = Output(answers)
        self._thread = threading.Thread(target=self._serve, args=(Answering(table), answers))
        self._thread.start()
        self._lines = iter(Lines(self._from_server))

    def _serve(self, answering: Answering, answers: int) -> None:
        Server(answering, self.output).serve(self._requests)
        os.close(answers)

    def send(self, line: bytes) -> None:
        os.write(self._to_server, line)

    def request(self, identifier: object, method: str, **params: object) -> None:
        message = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
        self.send(json.dumps(message).encode() + b"\n")

    def answer(self) -> Any:
        line = next(self._lines)
        assert line is not None
        line.decode("ascii")
        return json.loads(line)

    def close(self) -> list[Any]:
        """Closes the input and gives what still came."""
        os.close(self._to_server)
        rest = [json.loads(line) for line in self._lines if line is not None]
        self._thread.join(10)
        assert not self._thread.is_alive(), "the server must end with its input"
        os.close(self._requests)
        os.close(self._from_server)
        return rest


@pytest.fixture
def make() -> Iterator[Any]:
    made: list[Client] = []

    def client(**methods: Any) -> Client:
        made.append(Client(**methods))
        return made[-1]

    yield client
    for each in made:
        if each._thread.is_alive():
            each.close()


def test_a_request_is_answered_with_its_id(make):
    client = make(journal_list=lambda params, call: {"changes": [params["limit"]]})
    for identifier in (1, "1", "x", 0):
        client.request(identifier, "journal/list", limit=3)
        assert client.answer() == {"jsonrpc": "2.0", "id": identifier, "result": {"changes": [3]}}


def test_answers_may_overtake_each_other(make):
    second_has_come = threading.Event()

    def wait(params: Any, call: Call) -> dict[str, Any]:
        assert second_has_come.wait(10)
        return {}

    def release(params: Any, call: Call) -> dict[str, Any]:
        second_has_come.set()
        return {}

    client = make(prompt_clear=wait, session_seen=release)
    client.request(1, "prompt/clear")
    client.request(2, "session/seen")

    assert [client.answer()["id"], client.answer()["id"]] == [2, 1]


def test_a_cancelled_request_fails_and_others_do_not(make):
    running = threading.Event()

    def wait(params: Any, call: Call) -> dict[str, Any]:
        running.set()
        for _ in range(1000):
            call.stop_if_cancelled()
            threading.Event().wait(0.01)
        return {}

    client = make(prompt_clear=wait)
    client.request(1, "prompt/clear")
    client.request("1", "session/seen")
    assert client.answer() == {"jsonrpc": "2.0", "id": "1", "result": {}}
    assert running.wait(10)
    client.send(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"1"}}\n')
    client.send(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}\n')

    answer = client.answer()
    assert (answer["id"], answer["error"]["code"]) == (1, ErrorCode.CANCELLED)
    assert answer["error"]["data"]["rule"] == "cancelled"


@pytest.mark.parametrize("params", [b"{}", b"[]", b"null", b'{"id":{}}', b'{"id":99}'])
def test_a_cancellation_of_nothing_is_ignored(make, params):
    client = make()
    client.send(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":' + params + b"}\n")
    client.request(1, "session/seen")

    assert client.answer()["id"] == 1


def test_what_was_asked_before_the_input_was_closed_is_answered(make):
    def work(params: Any, call: Call) -> dict[str, Any]:
        threading.Event().wait(0.2)
        call.stop_if_cancelled()
        return {}

    client = make(prompt_clear=work)
    client.request(
        1, "initialize", **dict.fromkeys(("cwd", "agentFolder", "homeFolder", "sessionId"), ""), protocolVersion=1
    )
    for number in range(2, 20):
        client.request(number, "prompt/clear")

    answers = client.close()
    assert answers[0]["id"] == 1
    assert {answer["id"] for answer in answers if "result" in answer} == set(range(1, 20))


def test_requests_that_take_long_are_cancelled_when_the_input_is_closed(make, monkeypatch):
    monkeypatch.setattr(server, "END_SECONDS", 0.1)
    running = threading.Event()

    def wait(params: Any, call: Call) -> dict[str, Any]:
        running.set()
        while True:
            call.stop_if_cancelled()
            threading.Event().wait(0.01)

    client = make(prompt_clear=wait)
    client.request(1, "prompt/clear")
    assert running.wait(10)

    assert [answer["error"]["code"] for answer in client.close()] == [ErrorCode.CANCELLED]


def test_what_other_readers_take_for_line_ends_is_escaped_and_kept(make):
    odd = "a\u2028b\u2029c\u0085d\re\x0b\x0cf\x1cg\U0001f600\ud800"
    client = make(journal_undo=lambda params, call: {"change": params["id"]})
    client.request(1, "journal/undo", id=odd, force=False)
    assert client.answer()["result"] == {"change": odd}

    raw = '{"jsonrpc":"2.0","id":2,"method":"journal/undo","params":{"id":"a\u2028b","force":false}}\n'
    client.send(raw.encode())
    assert client.answer()["result"] == {"change": "a\u2028b"}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"nonsense", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"{}", -32600),
        (b"7", -32600),
        (b"[]", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"session/seen"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"journal/list","params":{}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"journal/list","params":{"limit":-1}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"journal/list","params":{"limit":"1"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"journal/list","params":{"limit":1,"more":1}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"journal/list","params":{"limit":1,"call":1}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"journal/list","params":[1]}', -32602),
    ],
)
def test_a_line_that_is_no_request_is_an_error_and_the_next_one_is_answered(make, line, code):
    client = make()
    client.send(line + b"\n\n  \n")
    assert client.answer()["error"]["code"] == code
    client.request(1, "session/seen")
    assert client.answer() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_line_that_is_too_long_is_skipped(make, monkeypatch):
    monkeypatch.setattr(server, "LINE_BYTES", 100_000)
    client = make()
    client.send(b" " * 50_000)
    client.send(b" " * 50_001 + b"\n")
    client.request(1, "session/seen")

    assert client.answer()["error"]["data"]["rule"] == "line-length"
    assert client.answer()["id"] == 1


def test_a_notification_has_no_answer_and_a_batch_has_one_list(make):
    client = make()
    client.send(b'{"jsonrpc":"2.0","method":"session/seen","params":{}}\n')
    client.send(b'{"jsonrpc":"2.0","method":"no/such"}\n')
    both = [{"jsonrpc": "2.0", "id": number, "method": "session/seen", "params": {}} for number in (1, 2)]
    client.send(json.dumps(both).encode() + b"\n")

    assert [answer["id"] for answer in client.answer()] == [1, 2]
    assert client.close() == []


def test_an_error_of_ours_names_its_rule_and_what_to_do(make):
    def refuse(params: Any, call: Call) -> dict[str, Any]:
        raise RequestError(ErrorCode.REFUSED, "outside-memory", "the file is not in memory", "write below /m")

    def fail(params: Any, call: Call) -> dict[str, Any]:
        raise FilesError("the disk is full", "make room")

    client = make(prompt_clear=refuse, session_seen=fail)
    client.request(1, "prompt/clear")
    assert client.answer()["error"] == {
        "code": -32000,
        "message": "the file is not in memory",
        "data": {"rule": "outside-memory", "hint": "write below /m"},
    }
    client.request(2, "session/seen")
    error = client.answer()["error"]
    assert (error["code"], error["data"]["rule"]) == (-32003, "files")


def test_an_error_of_the_system_names_the_file(make):
    def fail(params: Any, call: Call) -> dict[str, Any]:
        raise PermissionError(13, "Permission denied", "/m/a\n.md")

    client = make(prompt_clear=fail)
    client.request(1, "prompt/clear")
    error = client.answer()["error"]

    assert (error["code"], error["message"]) == (-32003, '"/m/a\\n.md": Permission denied')


def test_a_fault_of_ours_is_an_error_without_its_text(make, capfd):
    def break_down(params: Any, call: Call) -> dict[str, Any]:
        raise ZeroDivisionError("a detail")

    client = make(prompt_clear=break_down)
    client.request(1, "prompt/clear")
    answer = client.answer()

    assert (answer["id"], answer["error"]["code"]) == (1, -32603)
    assert answer["error"]["data"] == {"rule": "fault", "hint": "ZeroDivisionError"}
    assert capfd.readouterr().err == ""


def test_a_notification_of_ours_is_a_whole_line_among_answers(make):
    def talk(params: Any, call: Call) -> dict[str, Any]:
        for _ in range(50):
            client.output.notify("lock/lost", {"taskId": "x" * 5000, "lock": "extract.lock"})
        return {}

    client = make(prompt_clear=talk)
    for number in range(4):
        client.request(number, "prompt/clear")
    messages = [client.answer() for _ in range(204)]

    assert sorted(message["id"] for message in messages if "id" in message) == [0, 1, 2, 3]
    assert sum(message.get("method") == "lock/lost" for message in messages) == 200


def test_the_server_ends_when_nobody_reads_its_answers():
    requests, to_server = os.pipe()
    unread, answers = os.pipe()
    os.close(unread)
    output = Output(answers)
    thread = threading.Thread(
        target=Server(Answering({name: lambda params, call: {} for name in METHODS}), output).serve, args=(requests,)
    )
    thread.start()
    os.write(to_server, b'{"jsonrpc":"2.0","id":1,"method":"session/seen","params":{}}\n')
    assert output.broken.wait(10)
    os.write(to_server, b"\n")
    thread.join(10)
    assert not thread.is_alive()


def test_the_table_of_methods_is_the_schema_s():
    with pytest.raises(ValueError, match="journal/list"):
        Answering({name: lambda params, call: {} for name in METHODS if name != "journal/list"})
    with pytest.raises(ValueError, match="one/more"):
        Answering({name: lambda params, call: {} for name in [*METHODS, "one/more"]})


def test_a_client_that_does_not_read_keeps_nobody_waiting(monkeypatch):
    monkeypatch.setattr(server, "END_SECONDS", 0.2)
    requests, to_server = os.pipe()
    unread, answers = os.pipe()
    output = Output(answers)
    table = {name: lambda params, call: {"text": "x" * 10_000} for name in METHODS}
    thread = threading.Thread(target=Server(Answering(table), output).serve, args=(requests,), daemon=True)
    thread.start()
    for number in range(100):
        line = {"jsonrpc": "2.0", "id": number, "method": "session/seen", "params": {}}
        os.write(to_server, json.dumps(line).encode() + b"\nno request\n")
    os.close(to_server)
    thread.join(10)

    assert not thread.is_alive()
    assert not output.broken.is_set()
    os.close(unread)


def test_a_client_that_leaves_too_much_unread_counts_as_gone(monkeypatch):
    monkeypatch.setattr(server, "UNREAD_BYTES", 200_000)
    unread, answers = os.pipe()
    output = Output(answers)
    for _ in range(30):
        output.write("x" * 10_000)

    assert output.broken.is_set()
    os.close(unread)


def test_the_main_session_does_not_wait_for_background_tasks(make):
    goes_on = threading.Event()

    def wait_long(params: Any, call: Call) -> dict[str, Any]:
        assert goes_on.wait(20)
        return {}

    client = make(task_check=wait_long)
    for number in range(40):
        client.request(number, "task/check", taskId="x", trusted=True)
    client.request("mine", "prompt/clear")

    assert client.answer()["id"] == "mine"
    goes_on.set()


def test_notifications_that_wait_are_dropped_at_the_end(monkeypatch):
    monkeypatch.setattr(server, "END_SECONDS", 0.1)
    done: list[int] = []

    def work(params: Any, call: Call) -> dict[str, Any]:
        threading.Event().wait(0.05)
        call.stop_if_cancelled()
        done.append(1)
        return {}

    client = Client(task_check=work)
    for _ in range(500):
        client.send(b'{"jsonrpc":"2.0","method":"task/check","params":{"taskId":"x"}}\n')
    client.close()
    after = len(done)
    threading.Event().wait(0.3)

    assert len(done) == after < 100


def test_a_signal_is_an_end_of_the_input_that_raises_nowhere():
    requests, to_server = os.pipe()
    seen = []
    with stopping_signals(signal.SIGUSR1) as stopping:
        os.kill(os.getpid(), signal.SIGUSR1)
        lines = Lines(requests, stopping)
        os.write(to_server, b"a line\n")
        seen = list(lines)
    os.close(requests)
    os.close(to_server)

    assert seen == []
    assert lines.signal == signal.SIGUSR1
    assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL
