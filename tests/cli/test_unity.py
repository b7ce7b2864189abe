"""Tables by their names in Unity Catalog, by whole runs on a server that speaks its interfaces."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.program import deltaadm
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol
from tests.support.unity import TOKEN, Unity, unity_server
from tests.support.unity import Table as Entry

STAGED = "00000000000000000002.016ae953-37a9-438e-8683-9a9a4a79a395.json"
MANAGED_FEATURES = ["catalogManaged", "inCommitTimestamp", "vacuumProtocolCheck"]
COLUMNS = [{"name": "a", "type": "integer", "nullable": True, "metadata": {}}]


@pytest.fixture(params=[True, False], ids=["for Delta clients", "older"])
def unity(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Unity]:
    """The server, with either interface, to which the settings lead."""
    monkeypatch.setenv("UNITY_CATALOG_TOKEN", TOKEN)
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    with unity_server(delta=request.param) as server:
        monkeypatch.setenv("DELTAADM_UNITY", server.url)
        yield server


def ict(version: int) -> dict[str, object]:
    return commit_info(inCommitTimestamp=1_700_000_000_000 + version, txnId=str(version))


def managed(unity: Unity, path: Path, *, published: int = 2, staged: int = 2) -> Table:
    """A catalog-managed table of so many published commits, and ratified ones after them."""
    made = Table(path)
    configuration = {"delta.enableInCommitTimestamps": "true"}
    features = protocol(3, 7, ["catalogManaged"], MANAGED_FEATURES)
    made.commit(0, ict(0), features, metadata(configuration))
    for version in range(1, published):
        made.commit(version, ict(version), add(f"f{version}"))
    commits = []
    for version in range(published, published + staged):
        name = f"{version:020d}.016ae953-37a9-438e-8683-{version:012d}.json"
        more = [metadata(configuration | {"delta.appendOnly": "false"})] if version == 3 else []
        body = commit(ict(version), add(f"f{version}"), *more)
        made.write(f"_staged_commits/{name}", body)
        commits.append((version, name, len(body)))
    unity.tables["main.sales.orders"] = Entry(
        path.as_uri(),
        COLUMNS,
        {**configuration, "delta.feature.catalogManaged": "supported"},
        kind="MANAGED",
        latest=published + staged - 1,
        commits=commits,
    )
    return made


def test_a_catalog_managed_table_is_read_at_its_true_version(unity: Unity, tmp_path: Path) -> None:
    made = managed(unity, tmp_path / "t")
    done = deltaadm("inspect", "main.sales.orders", "-o", "json")
    assert done.code == 0, done.err
    assert done.document["version"] == 3
    assert done.document["timestamp"] == 1_700_000_000_003
    assert done.document["metadata"]["configuration"]["delta.appendOnly"] == "false"
    by_path = deltaadm("inspect", made.path, "-o", "json").document
    assert by_path["version"] == 1
    older = deltaadm("inspect", "main.sales.orders", "--version", "2", "-o", "json").document
    assert older["version"] == 2
    files = deltaadm("inspect", "main.sales.orders", "--files", "-o", "json").document
    assert files["files"]["files"] == 3
    for depth in ([], ["--history", "--deep"]):
        found = deltaadm("validate", "main.sales.orders", *depth, "-o", "json")
        assert found.document["version"] == 3, json.dumps(found.document)
