"""
Google Cloud Storage on loopback: its XML interface, which is that of S3 but for what is named here.

moto's S3 server answers. What is Google's own is translated: generations, and the condition on a
put. Tokens and the errors of Google's own wording are not there.
"""

import json
from collections.abc import Iterator
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
        server.translate = _translate
        yield server


_GENERATION = "x-goog-generation"


def _translate(environ: dict[str, Any], start: Any) -> Any:
    """Make the request what S3 understands, which wants a signature in place of a token."""
    environ["HTTP_AUTHORIZATION"] = (
        "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, "
        "Signature=0"
    )
    match environ.pop("HTTP_X_GOOG_IF_GENERATION_MATCH", None):
        case None:
            pass
        case "0":
            environ["HTTP_IF_NONE_MATCH"] = "*"
        case generation:
            environ["HTTP_IF_MATCH"] = f'"{int(generation):032x}"'

    def numbered(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        # As S3's digest tells one content of an object from another, so does its number here.
        found = [str(int(text.strip('"'), 16)) for name, text in headers if name == "ETag"]
        return start(status, [*headers, *((_GENERATION, text) for text in found)], *rest)

    return numbered
