"""Reads requests from one descriptor and writes answers to another, one JSON text a line, until the first is closed.

- A line ends at LF and nowhere else; a text is ASCII, everything else escaped, so that no reader can see another line
  end in it (Node's `readline` splits at U+2028). A line that is too long is answered with an error and skipped.
- Requests run side by side, so an answer may overtake another; only `initialize` is answered before the next is
  read. `$/cancelRequest` with the `id` of a request is obeyed at once: the request fails unless it is done already.
- What the main session asks never waits for background tasks: those have a pool of their own.
- What was asked before the input was closed is answered if that takes no longer than a moment; the rest is
  cancelled, also what nobody waits for. A signal (`stopping_signals`) ends the input without that moment.
- A client that does not read keeps nothing waiting here: answers are written by a thread of their own, and one that
  leaves too many of them unread counts as gone.
- Only this module writes to standard output: `own_standard_output` points descriptor 1 at standard error before
  anything else can print.

Source: JSON-RPC 2.0; issue 4, point 9; `pi-api.md` 2.8.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait

from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.dispatch import Answering, fault

LINE_BYTES = 32 * 1024 * 1024
"""A request holds at most the text of one memory file, escaped."""

UNREAD_BYTES = 64 * 1024 * 1024
"""Answers that a client may leave unread."""

SIDE_BY_SIDE = 16
BACKGROUND_SIDE_BY_SIDE = 4
END_SECONDS = 2.0
"""How long requests that came before the end of the input may still take, and then their answers to be read."""

_READ_BYTES = 64 * 1024
_CANCEL = "$/cancelRequest"
_FIRST = "initialize"
_BACKGROUND = ("task/", "tasks/", "journal/", "memory/")


def own_standard_output() -> int:
    """Give a descriptor for what standard output was, and let everybody else's output go to standard error."""
    descriptor = os.dup(1)
    os.dup2(2, 1)
    return descriptor


@contextlib.contextmanager
def stopping_signals(*numbers: int) -> Iterator[int]:
    """Give a descriptor from which the number of each of these signals can be read, in place of what they do.

    A handler that raised would do so between any two steps, also while a lock of this process is being taken.
    """
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    before = {number: signal.signal(number, lambda *_: None) for number in numbers}
    woken = signal.set_wakeup_fd(writing)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(reading)
        os.close(writing)


class Output:
    """Writes whole lines in a thread of its own, in the order in which they were handed over from any thread.

    Once the reader is gone, or has left too much unread, `broken` is set and nothing more is written.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._unread = 0
        self.broken = threading.Event()
        threading.Thread(target=self._write_all, name="output", daemon=True).start()

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        """Say something unasked."""
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def write(self, message: object) -> None:
        """Hand over a message as one line; never waits."""
        line = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
        with self._lock:
            self._unread += len(line)
            if self._unread > UNREAD_BYTES:
                self.broken.set()
            if not self.broken.is_set():
                self._lines.put(line)

    def drain(self, seconds: float) -> None:
        """Wait until everything that was handed over is written, the reader is gone, or the time is over."""
        deadline = time.monotonic() + seconds
        while self._unread and not self.broken.is_set() and time.monotonic() < deadline:
            time.sleep(0.002)

    def _write_all(self) -> None:
        while not self.broken.is_set():
            line = self._lines.get()
            try:
                rest = memoryview(line)
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except OSError:
                self.broken.set()
            with self._lock:
                self._unread -= len(line)


class Server:
    """Answers the requests of one client."""

    def __init__(self, answering: Answering, output: Output) -> None:
        self._answering = answering
        self._output = output
        self._calls: dict[str, Call] = {}
        self._all: set[Call] = set()
        self._lock = threading.Lock()

    def serve(self, descriptor: int, stopping: int | None = None) -> int | None:
        """Answer until the descriptor is closed on the other side, or `stopping` gives the number of a signal.

        Gives that number, `None` without one. Requests that do not end in time are left behind, cancelled.
        """
        pools = [ThreadPoolExecutor(each, "request") for each in (SIDE_BY_SIDE, BACKGROUND_SIDE_BY_SIDE)]
        under_way: set[Future[None]] = set()
        lines = Lines(descriptor, stopping)
        for line in lines:
            if self._output.broken.is_set():
                break
            future = self._take(line, *pools)
            if future is not None:
                under_way.add(future)
                future.add_done_callback(under_way.discard)
        if lines.signal is None and not self._output.broken.is_set():
            wait(set(under_way), END_SECONDS)
        with self._lock:
            for call in self._all:
                call.cancel()
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        wait(set(under_way), END_SECONDS)
        self._output.drain(END_SECONDS)
        return lines.signal

    def _take(
        self, line: bytes | None, main: ThreadPoolExecutor, background: ThreadPoolExecutor
    ) -> Future[None] | None:
        """Begin to answer a line; gives what is still under way."""
        if line is None:
            self._output.write(_error(-32600, f"a line is longer than {LINE_BYTES} bytes", "line-length"))
            return None
        if not line.strip():
            return None
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            self._output.write(_error(-32700, "the line is not JSON", "json"))
            return None
        method = request.get("method") if isinstance(request, dict) else None
        if method == _CANCEL:
            self._cancel(request.get("params"))
            return None
        call = Call()
        key = _key(request.get("id")) if isinstance(request, dict) else None
        with self._lock:
            self._all.add(call)
            if key is not None:
                self._calls[key] = call
        if method == _FIRST:
            self._answer(request, call, key)
            return None
        pool = background if isinstance(method, str) and method.startswith(_BACKGROUND) else main
        return pool.submit(self._answer, request, call, key)

    def _cancel(self, params: object) -> None:
        key = _key(params.get("id")) if isinstance(params, dict) else None
        with self._lock:
            call = self._calls.get(key) if key is not None else None
        if call is not None:
            call.cancel()

    def _answer(self, request: object, call: Call, key: str | None) -> None:
        answer: object | None = fault()
        try:
            answer = self._answering.answer(request, call)
        finally:
            with self._lock:
                self._all.discard(call)
                if key is not None and self._calls.get(key) is call:
                    del self._calls[key]
            if answer is not None:
                self._output.write(answer)


class Lines:
    """Each line of a descriptor without its LF, `None` for one that is too long, the last also if nothing ends it.

    They end with the input, or when `stopping` can be read: `signal` is then what it gave.
    """

    def __init__(self, descriptor: int, stopping: int | None = None) -> None:
        self._descriptor, self._stopping = descriptor, stopping
        self.signal: int | None = None

    def __iter__(self) -> Iterator[bytes | None]:
        parts: list[bytes] = []
        size = 0
        while data := self._read():
            *ended, rest = data.split(b"\n")
            for each in ended:
                yield None if size + len(each) > LINE_BYTES else b"".join([*parts, each])
                parts, size = [], 0
            size += len(rest)
            if size <= LINE_BYTES:
                parts.append(rest)
            else:
                parts.clear()
        if size and self.signal is None:
            yield None if size > LINE_BYTES else b"".join(parts)

    def _read(self) -> bytes:
        if self._stopping is not None:
            ready, _, _ = select.select([self._descriptor, self._stopping], [], [])
            if self._stopping in ready:
                self.signal = os.read(self._stopping, 1)[0]
                return b""
        return os.read(self._descriptor, _READ_BYTES)


def _key(identifier: object) -> str | None:
    """Give the id of a request as a key that tells 1 from "1"."""
    return json.dumps(identifier) if isinstance(identifier, str | int) else None


def _error(code: int, message: str, rule: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message, "data": {"rule": rule}}}
