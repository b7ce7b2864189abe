"""A small WebDAV server on loopback, as object_store asks for it: listings, ranges, puts."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote
from xml.sax.saxutils import escape


@contextmanager
def webdav_server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"files": {}}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Files are bytes by their paths; a directory is what a path goes through."""

    protocol_version = "HTTP/1.1"
    files: dict[str, bytes]

    def log_message(self, *_: object) -> None:
        pass

    @property
    def _place(self) -> str:
        return unquote(self.path.partition("?")[0]).strip("/")

    def do_PUT(self) -> None:
        self.files[self._place] = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(201)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        body = self.files.get(self._place)
        if body is None:
            self._answer(404)
            return
        tag = _tag(body)
        if self.headers.get("If-Match", tag) != tag:
            self._answer(412)
            return
        headers = {"ETag": tag, "Last-Modified": formatdate(usegmt=True)}
        wanted = self.headers.get("Range")
        if wanted is None:
            self._answer(200, body, headers)
            return
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        start, end = int(first), min(int(last or len(body)), len(body) - 1)
        headers["Content-Range"] = f"bytes {start}-{end}/{len(body)}"
        self._answer(206, body[start : end + 1], headers)

    def do_PROPFIND(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        root = self._place
        prefix = f"{root}/" if root else ""
        below = sorted(path for path in self.files if path.startswith(prefix))
        if not below and root not in self.files:
            self._answer(404)
            return
        found = {prefix: _collection(prefix)}
        deep = self.headers.get("Depth") == "infinity"
        for path in below:
            parts = path[len(prefix) :].split("/")
            for count in range(1, len(parts) if deep else min(2, len(parts))):
                directory = f"{prefix}{'/'.join(parts[:count])}/"
                found[directory] = _collection(directory)
            if deep or len(parts) == 1:
                found[path] = _file(path, self.files[path])
        text = f'<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">{"".join(found.values())}'
        headers = {"Content-Type": "application/xml"}
        self._answer(207, f"{text}</D:multistatus>".encode(), headers)

    def _answer(
        self, status: int, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _collection(path: str) -> str:
    return _response(path, "<D:resourcetype><D:collection/></D:resourcetype>")


def _file(path: str, body: bytes) -> str:
    kind = f"<D:resourcetype/><D:getcontentlength>{len(body)}</D:getcontentlength>"
    return _response(path, f"{kind}<D:getetag>{escape(_tag(body))}</D:getetag>")


def _tag(body: bytes) -> str:
    return f'"{sha256(body).hexdigest()[:16]}"'


def _response(path: str, properties: str) -> str:
    modified = f"<D:getlastmodified>{formatdate(usegmt=True)}</D:getlastmodified>"
    return (
        f"<D:response><D:href>{escape(quote(f'/{path}'))}</D:href><D:propstat><D:prop>"
        f"{modified}{properties}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
        "</D:response>"
    )
