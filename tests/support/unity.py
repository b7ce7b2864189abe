"""A Unity Catalog on loopback that speaks the description of its REST interfaces, both of them.

It checks tokens, gives credentials that expire, makes pages of lists, and goes wrong when told to.
Every answer is held against the schemas of `SCHEMAS`, which are those of the description as far as
the program reads them.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import jsonschema

TOKEN = "dapi-0123456789-of-a-test"  # noqa: S105 -- of this server alone
PREFIX = "/api/2.1/unity-catalog/"
LOAD = "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}"

Json = dict[str, Any]
Fault = tuple[int, Json | None, dict[str, str]]
"""A status, a body if it is not the description's, and headers."""


@dataclass
class Table:
    """A table of the catalog; *commits* are versions and the names of their files."""

    location: str
    columns: list[Json] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    kind: str = "EXTERNAL"
    provider: str = "DELTA"
    id: str = "123e4567-e89b-12d3-a456-426614174000"
    latest: int | None = None
    commits: list[tuple[int, str, int]] = field(default_factory=list)
    partitions: list[str] | None = None
    metadata_version: int | None = None


@dataclass
class Unity:
    """
    The server, and what it was asked.

    *delta* says whether it has the interface for Delta clients. `fault` takes the place of an
    answer where it gives one, `change` makes another of it; `credentials` are those of the next
    vending.
    """

    delta: bool = True
    token: str = TOKEN
    page: int = 2
    tables: dict[str, Table] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    fault: Callable[[str], Fault | None] | None = None
    change: Callable[[Json], Json] = lambda document: document
    credentials: Callable[[str, str], Json | None] = lambda _name, _operation: None
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    # What it answers

    def answer(self, method: str, path: str, query: Json, body: Json) -> tuple[int, Json, str]:
        """The status, the document and the name of its schema."""
        parts = [unquote(part) for part in path.split("/")]
        if method == "POST" and parts == ["temporary-table-credentials"]:
            return self._older_credentials(body)
        if method == "GET" and parts == ["delta", "preview", "commits"]:
            return self._older_commits(body)
        if method == "GET" and parts[:2] == ["delta", "v1"] and self.delta:
            return self._for_delta(parts[2:], query)
        if method == "GET" and parts[0] in {"catalogs", "schemas", "tables"}:
            return self._listed(parts, query)
        return missing("NOT_FOUND")

    def _listed(self, parts: list[str], query: Json) -> tuple[int, Json, str]:
        if len(parts) == 2:
            name = parts[1]
            if name not in self.tables:
                return missing("TABLE_NOT_FOUND")
            return 200, self._info(name), "TableInfo"
        catalog, kind = query.get("catalog_name"), parts[0]
        if kind == "tables":
            assert int(query["max_results"]) <= 50
            place = f"{catalog}.{query['schema_name']}."
            rows = [self._info(name) for name in sorted(self.tables) if name.startswith(place)]
        elif kind == "schemas":
            found = {name.split(".")[1] for name in self.tables if name.split(".")[0] == catalog}
            rows = [{"name": name, "catalog_name": catalog} for name in sorted(found)]
        else:
            rows = [{"name": name} for name in sorted({full.split(".")[0] for full in self.tables})]
        return self._page(kind, rows, query) if rows else missing("NOT_FOUND")

    def _for_delta(self, parts: list[str], query: Json) -> tuple[int, Json, str]:
        if parts == ["config"]:
            assert set(query) == {"catalog", "protocol-versions"}
            endpoints = [LOAD, f"{LOAD}/credentials"]
            return 200, {"endpoints": endpoints, "protocol-version": "1.0"}, "DeltaCatalogConfig"
        _, catalog, _, schema, _, table, *rest = parts
        name = f"{catalog}.{schema}.{table}"
        if name not in self.tables:
            return delta_error(404, "NoSuchTableException")
        if self.tables[name].provider != "DELTA":
            return delta_error(400, "UnsupportedTableFormatException")
        if rest == ["credentials"]:
            return self._credentials(name, query["operation"])
        return 200, self._loaded(name), "DeltaLoadTableResponse"

    def _page(self, name: str, rows: list[Json], query: Json) -> tuple[int, Json, str]:
        start = int(query.get("page_token", "0"))
        found: Json = {name: rows[start : start + self.page]}
        if start + self.page < len(rows):
            found["next_page_token"] = str(start + self.page)
        return 200, found, "List"

    def _info(self, full: str) -> Json:
        table, (catalog, schema, name) = self.tables[full], full.split(".")
        columns = [
            {
                "name": column["name"],
                "type_text": str(column["type"]),
                "type_json": json.dumps(column),
                "type_name": "INT",
                "position": number,
                "nullable": column["nullable"],
            }
            for number, column in enumerate(table.columns)
        ]
        return {
            "name": name, "catalog_name": catalog, "schema_name": schema, "table_id": table.id,
            "table_type": table.kind, "data_source_format": table.provider, "columns": columns,
            "storage_location": table.location, "properties": table.properties,
        }  # fmt: skip

    def _loaded(self, name: str) -> Json:
        table = self.tables[name]
        metadata: Json = {
            "etag": "x", "table-type": table.kind, "table-uuid": table.id,
            "location": table.location, "created-time": 1, "updated-time": 1,
            "columns": {"type": "struct", "fields": table.columns},
            "properties": table.properties,
        }  # fmt: skip
        if table.partitions is not None:
            metadata["partition-columns"] = table.partitions
        if table.metadata_version is not None:
            metadata["last-commit-version"] = table.metadata_version
        found: Json = {"metadata": metadata}
        if table.latest is not None:
            found["latest-table-version"] = table.latest
            found["commits"] = [
                {
                    "version": version, "timestamp": 1, "file-name": file, "file-size": size,
                    "file-modification-timestamp": 1,
                }
                for version, file, size in sorted(table.commits, reverse=True)
            ]  # fmt: skip
        return found

    def _older_commits(self, body: Json) -> tuple[int, Json, str]:
        table = next(t for t in self.tables.values() if t.id == body["table_id"])
        assert body["table_uri"] == table.location
        fitting = [commit for commit in sorted(table.commits) if commit[0] >= body["start_version"]]
        commits = [
            {
                "version": version, "timestamp": 1, "file_name": file, "file_size": size,
                "file_modification_timestamp": 1,
            }
            for version, file, size in fitting[: self.page]
        ]  # fmt: skip
        answer = {"commits": commits, "latest_table_version": table.latest or 0}
        return 200, answer, "DeltaGetCommitsResponse"

    def _credentials(self, name: str, operation: str) -> tuple[int, Json, str]:
        given = self.credentials(name, operation)
        vended = [] if given is None else [
            {
                "prefix": self.tables[name].location, "operation": operation,
                "expiration-time-ms": given["expires"],
                "config": {
                    "s3.access-key-id": given["key"], "s3.secret-access-key": given["secret"],
                    "s3.session-token": given["token"],
                },
            }
        ]  # fmt: skip
        return 200, {"storage-credentials": vended}, "DeltaCredentialsResponse"

    def _older_credentials(self, body: Json) -> tuple[int, Json, str]:
        assert body["operation"] in {"READ", "READ_WRITE"}
        name = next(name for name, table in self.tables.items() if table.id == body["table_id"])
        given = self.credentials(name, body["operation"])
        if given is None:
            return 200, {}, "TemporaryCredentials"
        aws = {
            "access_key_id": given["key"], "secret_access_key": given["secret"],
            "session_token": given["token"],
        }  # fmt: skip
        answer = {"aws_temp_credentials": aws, "expiration_time": given["expires"]}
        return 200, answer, "TemporaryCredentials"


def missing(code: str) -> tuple[int, Json, str]:
    return 404, {"error_code": code, "message": f"{code} is what it is"}, "Error"


def delta_error(status: int, kind: str) -> tuple[int, Json, str]:
    body = {"message": f"{kind} it is", "type": kind, "code": status}
    return status, {"error": body}, "DeltaErrorResponse"


SCHEMAS: dict[str, Json] = json.loads(
    (Path(__file__).parent.parent / "data" / "unity_schemas.json").read_text()
)


@contextmanager
def unity_server(**settings: Any) -> Iterator[Unity]:
    """The server, without tables."""
    unity = Unity(**settings)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            path = parts.path.removeprefix(PREFIX)
            unity.requests.append(f"{self.command} {path}")
            fault = None if unity.fault is None else unity.fault(f"{self.command} {path}")
            if fault is not None:
                status, document, headers = fault
                self._send(status, document or delta_error(status, "Injected")[1], headers)
            elif self.headers.get("Authorization") != f"Bearer {unity.token}":
                document = delta_error(401, "NotAuthorizedException")[1]
                self._send(401, document, {})
            else:
                query = dict(parse_qsl(parts.query))
                status, document, schema = unity.answer(self.command, path, query, body)
                jsonschema.validate(document, SCHEMAS[schema])
                self._send(status, unity.change(document), {})

        do_POST = do_GET  # noqa: N815 -- so the library calls it

        def _send(self, status: int, document: Json, headers: dict[str, str]) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Clients that are stopped leave without a word."""

    server = Server(("127.0.0.1", 0), Handler)
    unity.port = server.server_port
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield unity
    finally:
        server.shutdown()
        server.server_close()


def lasting(seconds: float, number: int = 1) -> Json:
    """Credentials that are good for so many seconds."""
    return {
        "key": f"ASIAVENDED{number:06d}",
        "secret": f"vended-secret-{number}/+",
        "token": f"vended-session-{number}",
        "expires": round((time.time() + seconds) * 1000),
    }
