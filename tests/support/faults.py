"""A proxy on loopback in front of an HTTP server, which lets answers and requests go wrong."""

import http.client
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple


class Request(NamedTuple):
    """A request, and how many of its method have come before it."""

    method: str
    target: str
    number: int
    headers: dict[str, str]
    body: bytes

    @property
    def is_commit(self) -> bool:
        return self.method == "PUT" and self.target.partition("?")[0].endswith(".json")


@dataclass(frozen=True, slots=True)
class Fault:
    """
    What happens to a request; nothing at all by default.

    Without `forwarded` the server never hears of it. `status` takes the place of its answer's,
    `kept` is how much of the answer arrives before the connection is reset, `seconds` is for how
    long the answer is held back. With `stale` a listing is answered as it was for the first time.
    """

    forwarded: bool = True
    status: int | None = None
    kept: float | None = None
    seconds: float = 0.0
    stale: bool = False


RESET_BEFORE = Fault(forwarded=False, kept=0.0)
RESET_AFTER = Fault(kept=0.0)
PARTIAL = Fault(kept=0.5)
THROTTLED = Fault(forwarded=False, status=429)
OVERLOADED = Fault(forwarded=False, status=503)
FAILED_AFTER = Fault(status=503)
TAKEN_AFTER = Fault(status=412)
TAKEN = Fault(forwarded=False, status=412)
SLOW = Fault(seconds=0.3)
STALE = Fault(stale=True)


@dataclass
class Proxy:
    """Where it is, and what it lets go wrong: `faults` is asked about each request."""

    upstream: tuple[str, int]
    port: int = 0
    faults: Callable[[Request], Fault | None] = lambda _: None
    seen: list[Request] = field(default_factory=list)
    _first: dict[str, tuple[int, list[tuple[str, str]], bytes]] = field(default_factory=dict)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def handle(self, connection: socket.socket) -> None:
        """Answer the requests of a connection until it ends, or is made to."""
        with suppress(OSError), connection, connection.makefile("rb") as incoming:
            while line := incoming.readline():
                method, target, _ = line.decode().split()
                headers = http.client.parse_headers(incoming)
                body = incoming.read(int(headers.get("Content-Length") or 0))
                number = sum(request.method == method for request in self.seen)
                request = Request(method, target, number, dict(headers.items()), body)
                self.seen.append(request)
                if not self._answer(connection, request, self.faults(request) or Fault()):
                    return

    def _answer(self, connection: socket.socket, request: Request, fault: Fault) -> bool:
        status, headers, body = 500, [], b""
        if fault.forwarded:
            status, headers, body = self._forward(request)
        if fault.stale and request.target in self._first:
            status, headers, body = self._first[request.target]
        self._first.setdefault(request.target, (status, headers, body))
        time.sleep(fault.seconds)
        if fault.status is not None:
            status, headers, body = fault.status, [], b"<Error><Code>Fault</Code></Error>"
        length = len(body)
        if request.method == "HEAD":
            length = int(dict(headers).get("Content-Length", 0))
            body = b""
        kept = [pair for pair in headers if pair[0].lower() not in _HOP]
        head = [f"HTTP/1.1 {status} {http.client.responses.get(status, 'Fault')}"]
        head += [f"{key}: {value}" for key, value in kept] + [f"Content-Length: {length}", "", ""]
        answer = "\r\n".join(head).encode() + body
        if fault.kept is None:
            connection.sendall(answer)
            return True
        if fault.kept:
            connection.sendall(answer[: len(answer) - round(len(body) * (1 - fault.kept)) - 1])
        # An abortive close: the peer sees a reset.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    def _forward(self, request: Request) -> tuple[int, list[tuple[str, str]], bytes]:
        server = http.client.HTTPConnection(*self.upstream, timeout=30)
        server.request(request.method, request.target, request.body, request.headers)
        answer = server.getresponse()
        found = answer.status, answer.getheaders(), answer.read()
        server.close()
        return found


_HOP = frozenset({"content-length", "transfer-encoding", "connection", "server", "date"})


@contextmanager
def faulty(port: int) -> Iterator[Proxy]:
    """A proxy in front of the server at *port* of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        proxy = Proxy(("127.0.0.1", port), listening.getsockname()[1])

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    threading.Thread(target=proxy.handle, args=(connection,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield proxy
