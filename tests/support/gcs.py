"""
Google Cloud Storage on loopback: its XML interface, which is that of S3 but for what is named here.

moto's S3 server answers. What is Google's own is translated: the condition on a put. Tokens and
the errors of Google's own wording are not there.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.s3 import S3Server, s3_server


def service_account(server: S3Server) -> str:
    """The key of an account that needs no token there."""
    return json.dumps({
        "gcs_base_url": server.endpoint, "disable_oauth": True, "client_email": "",
        "private_key": "", "private_key_id": "",
    })  # fmt: skip


def environment(server: S3Server) -> dict[str, str]:
    return {"GOOGLE_SERVICE_ACCOUNT_KEY": service_account(server), "GOOGLE_ALLOW_HTTP": "true"}


@contextmanager
def gcs_server() -> Iterator[S3Server]:
    with s3_server() as server:
        server.answer = _translate
        yield server


def _translate(environ: dict[str, Any], _start: Any) -> Iterable[bytes] | None:
    """Change the request before S3 sees it, which wants a signature in place of a token."""
    environ["HTTP_AUTHORIZATION"] = (
        "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, "
        "Signature=0"
    )
    if environ.pop("HTTP_X_GOOG_IF_GENERATION_MATCH", None) == "0":
        environ["HTTP_IF_NONE_MATCH"] = "*"
    return None
