"""A real S3 server, moto's, on loopback: it counts requests, and goes wrong when told to."""

import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import obstore
from obstore.store import S3Store

BUCKET = "lake"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"  # noqa: S105 -- that of Amazon's manual

Answer = Callable[[dict[str, Any], Any], Iterable[bytes]]


@dataclass
class S3Server:
    """
    Where the server is, and what it was asked.

    `answer` takes the place of the server's own answer where it is set and answers anything;
    `translate` changes a request, and says how the server's own answer begins.
    """

    port: int = 0
    latency: float = 0.0
    requests: list[str] = field(default_factory=list)
    sent: int = 0
    answer: Callable[[dict[str, Any], Any], Iterable[bytes] | None] | None = None
    translate: Callable[[dict[str, Any], Any], Any] = lambda _, start: start

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }

    @property
    def bucket(self) -> S3Store:
        return S3Store(
            BUCKET,
            endpoint=self.endpoint,
            access_key_id="x",
            secret_access_key="x",  # noqa: S106 -- moto takes any
            region="us-east-1",
            client_options={"allow_http": True},
        )

    def upload(self, directory: Path, prefix: str) -> str:
        """Put the files below *directory* there; the location of the table."""
        upload(self.bucket, directory, prefix)
        return f"s3://{BUCKET}/{prefix}"

    def fill(self, prefix: str, names: Iterable[str], *, hours: int = 0) -> None:
        """Have small files of these names there, so old, without a request for each."""
        for name in names:
            made = self._backend.put_object(BUCKET, f"{prefix}/{name}", b"{}")
            made.last_modified -= timedelta(hours=hours)

    def remove(self, key: str) -> None:
        """Remove an object, also one that obstore has no name for."""
        self._backend.delete_object(BUCKET, key)

    @property
    def _backend(self) -> Any:
        from moto.core import DEFAULT_ACCOUNT_ID
        from moto.s3.models import s3_backends

        return s3_backends[DEFAULT_ACCOUNT_ID]["aws"]

    @contextmanager
    def counted(self) -> Iterator[list[str]]:
        """The requests that are made in the block."""
        found: list[str] = []
        before = len(self.requests)
        yield found
        found += self.requests[before:]


def upload(bucket: Any, directory: Path, prefix: str) -> None:
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            name = f"{prefix}/{path.relative_to(directory).as_posix()}"
            obstore.put(bucket, name, path.read_bytes())


def error(status: str, code: str) -> Answer:
    def answer(_environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        start(status, [("Content-Type", "application/xml")])
        return [f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()]

    return answer


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """The server, with an empty bucket."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application = DomainDispatcherApplication(create_backend_app)
    server = S3Server()
    writes = threading.Lock()  # S3 settles a conditional put at once; moto looks, and then writes

    def observed(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        uri = environ.get("RAW_URI") or environ["PATH_INFO"]
        wanted = environ.get("HTTP_RANGE", "")
        server.requests.append(f"{environ['REQUEST_METHOD']} {uri} {wanted}".strip())
        time.sleep(server.latency)
        if server.answer is not None:
            found = server.answer(environ, start)
            if found is not None:
                return found
        with writes if environ["REQUEST_METHOD"] == "PUT" else nullcontext():
            body = b"".join(application(environ, server.translate(environ, start)))
        server.sent += len(body)
        return [body]

    listening = make_server("127.0.0.1", 0, observed, threaded=True)
    server.port = listening.server_port
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        with urlopen(Request(f"{server.endpoint}/{BUCKET}", method="PUT")):  # noqa: S310 -- ours
            server.requests.clear()
        yield server
    finally:
        listening.shutdown()


@contextmanager
def tls_in_front(directory: Path) -> Iterator[str]:
    """The address of a server whose certificate nobody has signed but itself; it never answers."""
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    _sign(certificate, key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with suppress(OSError):
                        context.wrap_socket(connection, server_side=True)

        threading.Thread(target=serve, daemon=True).start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"


def _sign(certificate: Path, key: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(private, hashes.SHA256())
    )
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption(),
    ))  # fmt: skip
