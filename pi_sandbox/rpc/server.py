"""Reads requests from one descriptor and writes answers to another, one JSON text a line, until the first is closed.

- A line ends at LF and nowhere else; a text is ASCII, everything else escaped, so that no reader can see another line
  end in it (Node's `readline` splits at U+2028). A line that is too long is answered with an error and skipped.
- Requests run side by side, so an answer may overtake another; only `initialize` is answered before the next is read.
  `$/cancelRequest` with the `id` of a request is obeyed at once; the request then fails unless what it does is done.
- What was asked before the input was closed is answered if that takes no longer than a moment, else cancelled.
- Only this module writes to standard output: `own_standard_output` points descriptor 1 at standard error before
  anything else can print.

Source: JSON-RPC 2.0; issue 4, point 9; `pi-api.md` 2.8.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait

from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.dispatch import Answering, fault

LINE_BYTES = 32 * 1024 * 1024
"""A request holds at most the text of one memory file, escaped."""

SIDE_BY_SIDE = 16
_READ_BYTES = 64 * 1024
_CANCEL = "$/cancelRequest"
_FIRST = "initialize"
END_SECONDS = 2.0
"""How long requests that came before the end of the input may still take."""


def own_standard_output() -> int:
    """Give a descriptor for what standard output was, and let everybody else's output go to standard error."""
    descriptor = os.dup(1)
    os.dup2(2, 1)
    return descriptor


class Output:
    """Writes whole lines from any thread. Once the reader is gone, `broken` is set and nothing more is written."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self.broken = threading.Event()

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        """Say something unasked."""
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def write(self, message: object) -> None:
        """Write a message as one line."""
        line = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
        with self._lock:
            rest = memoryview(line)
            while rest and not self.broken.is_set():
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except OSError:
                    self.broken.set()


class Server:
    """Answers the requests of one client."""

    def __init__(self, answering: Answering, output: Output) -> None:
        self._answering = answering
        self._output = output
        self._calls: dict[str, Call] = {}
        self._lock = threading.Lock()

    def serve(self, descriptor: int) -> None:
        """Answer until the descriptor is closed on the other side, and finish or cancel what is still under way."""
        with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="request") as pool:
            under_way: set[Future[None]] = set()
            try:
                for line in read_lines(descriptor):
                    if self._output.broken.is_set():
                        break
                    taken = self._take(line, pool)
                    under_way = {each for each in under_way if not each.done()}
                    if taken is not None:
                        under_way.add(taken)
                wait(under_way, END_SECONDS)
            finally:
                with self._lock:
                    for call in self._calls.values():
                        call.cancel()

    def _take(self, line: bytes | None, pool: ThreadPoolExecutor) -> Future[None] | None:
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
        if isinstance(request, dict) and request.get("method") == _CANCEL:
            self._cancel(request.get("params"))
            return None
        call = Call()
        key = _key(request.get("id")) if isinstance(request, dict) else None
        if key is not None:
            with self._lock:
                self._calls[key] = call
        if isinstance(request, dict) and request.get("method") == _FIRST:
            self._answer(request, call, key)
            return None
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
            if key is not None:
                with self._lock:
                    if self._calls.get(key) is call:
                        del self._calls[key]
            if answer is not None:
                self._output.write(answer)


def read_lines(descriptor: int) -> Iterator[bytes | None]:
    """Give each line without its LF, `None` for one that is too long, the last one also if nothing ends it."""
    parts: list[bytes] = []
    size = 0
    while True:
        with contextlib.suppress(InterruptedError):
            data = os.read(descriptor, _READ_BYTES)
            if not data:
                break
            *ended, rest = data.split(b"\n")
            for each in ended:
                yield None if size + len(each) > LINE_BYTES else b"".join([*parts, each])
                parts, size = [], 0
            size += len(rest)
            if size <= LINE_BYTES:
                parts.append(rest)
            else:
                parts.clear()
    if size:
        yield None if size > LINE_BYTES else b"".join(parts)


def _key(identifier: object) -> str | None:
    """Give the id of a request as a key that tells 1 from "1"."""
    return json.dumps(identifier) if isinstance(identifier, str | int) else None


def _error(code: int, message: str, rule: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message, "data": {"rule": rule}}}
