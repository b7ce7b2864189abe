"""The server of the tests answers as the description of Unity Catalog's interfaces has it."""

from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.support.documents import document
from tests.support.unity import Table, Unity, lasting

DELTA = "delta/v1/catalogs/main/schemas/sales/tables/orders"
ID = Table("").id
ASKED: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "catalogs": ("ListCatalogsResponse", {}, {}),
    "schemas": ("ListSchemasResponse", {"catalog_name": "main"}, {}),
    "tables": ("ListTablesResponse", {"catalog_name": "main", "schema_name": "sales",
        "max_results": "50"}, {}),
    "tables/main.sales.orders": ("TableInfo", {}, {}),
    "temporary-table-credentials": ("TemporaryCredentials", {},
        {"table_id": ID, "operation": "READ"}),
    "delta/preview/commits": ("DeltaGetCommitsResponse", {},
        {"table_id": ID, "table_uri": "s3://lake/t", "start_version": 0}),
    "delta/v1/config": ("DeltaCatalogConfig", {"catalog": "main", "protocol-versions": "1.0"}, {}),
    DELTA: ("DeltaLoadTableResponse", {}, {}),
    f"{DELTA}/credentials": ("DeltaCredentialsResponse", {"operation": "READ"}, {}),
    f"{DELTA}s": ("DeltaErrorResponse", {}, {}),
}  # fmt: skip


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    """All schemas, by name; a type that has no parts is a plain text, as the description says."""
    yaml = pytest.importorskip("yaml")
    found: dict[str, Any] = {}
    for name in ("all", "delta"):
        text = document(f"{name}.yaml", "spec/unity-catalog")
        found |= yaml.safe_load(text)["components"]["schemas"]
    return found | {"DeltaDataType": {"type": ["object", "string"]}}


@pytest.mark.parametrize("path", ASKED)
def test_an_answer_is_as_described(description: dict[str, Any], path: str) -> None:
    column = {"name": "a", "type": "integer", "nullable": True, "metadata": {}}
    commits = [(2, "x", 1), (3, "y", 2)]
    table = Table("s3://lake/t", [column], {"a": "b"}, kind="MANAGED", latest=3, commits=commits)
    table.partitions, table.metadata_version = ["a"], 1
    server = Unity(tables={"main.sales.orders": table})
    server.credentials = lambda _name, _operation: lasting(10)
    schema, query, body = ASKED[path]
    method = "POST" if path.startswith("temporary") else "GET"
    _, answer, _ = server.answer(method, path, query, body)
    root = Resource(contents={"components": {"schemas": description}}, specification=DRAFT202012)
    validator = jsonschema.Draft202012Validator(
        {"$ref": f"urn:uc#/components/schemas/{schema}"},
        registry=Registry().with_resource("urn:uc", root),
    )
    validator.validate(answer)
