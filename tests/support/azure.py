"""Azurite, which is Azure's storage on loopback; it has to be installed with npm."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""Those that every Azurite has."""


@contextmanager
def azurite(directory: Path) -> Iterator[dict[str, str]]:
    """The options that lead to a server with an empty container `lake`, if it is installed."""
    program = shutil.which("azurite-blob", path=os.environ.get("DELTAADM_AZURITE"))
    if program is None:
        pytest.skip("needs Azurite: npm install azurite; DELTAADM_AZURITE is its .bin directory")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        program, "--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location",
        str(directory),
    ]  # fmt: skip
    with subprocess.Popen([*command, "--blobPort", str(port), "--blobHost", "127.0.0.1"]) as server:
        try:
            options = {
                "azure_storage_account_name": ACCOUNT,
                "azure_storage_account_key": KEY,
                "azure_endpoint": f"http://127.0.0.1:{port}/{ACCOUNT}",
                "azure_allow_http": "true",
            }
            _wait_for(port)
            _make_container(port)
            yield options
        finally:
            server.terminate()


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError


def _make_container(port: int) -> None:
    import base64
    import hashlib
    import hmac
    from email.utils import formatdate
    from urllib.request import Request, urlopen

    date, version = formatdate(usegmt=True), "2021-08-06"
    resource = f"/{ACCOUNT}/{ACCOUNT}/lake\nrestype:container"
    headers = f"x-ms-date:{date}\nx-ms-version:{version}\n"
    text = f"PUT{chr(10) * 12}{headers}{resource}"
    signed = hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()
    request = Request(
        f"http://127.0.0.1:{port}/{ACCOUNT}/lake?restype=container",
        method="PUT",
        headers={
            "x-ms-date": date,
            "x-ms-version": version,
            "Authorization": f"SharedKey {ACCOUNT}:{base64.b64encode(signed).decode()}",
            "Content-Length": "0",
        },
    )
    with urlopen(request):  # noqa: S310 -- loopback
        pass
