"""`clients CLIENT --defaults`: what tables get from a release, and whom that shuts out."""

import datetime as dt
import json
from pathlib import Path

import deltalake
import pytest

from deltaadm import load_snapshot, open_store
from deltaadm.clients import CLIENTS, parse_client, version_key
from deltaadm.domain.features import FEATURES
from deltaadm.reports.catalogues import defaults_of
from tests.support.program import deltaadm
from tools.record_defaults import DEFAULTS, SCRIPTS

ROWS = [json.loads(line) for line in DEFAULTS.read_text().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['client']}-{row['action']}")
def test_every_row_has_a_source_and_names_what_is_known(row: dict[str, object]) -> None:
    client = CLIENTS[str(row["client"])]
    release = version_key(str(row["release"]))
    assert version_key(client.oldest) <= release <= version_key(client.newest)
    assert row["source"]
    assert dt.date.fromisoformat(str(row["date"])) <= dt.date(2026, 11, 27)
    assert ("refused" in row) is not ("protocol" in row)
    assert set(row.get("features", ())) <= FEATURES.keys()  # type: ignore[call-overload]


def test_delta_rs_still_makes_what_is_recorded(tmp_path: Path) -> None:
    release = parse_client(f"delta-rs@{deltalake.__version__}")
    script: dict[str, object] = {}
    exec(SCRIPTS["delta-rs"], script)  # noqa: S102 -- the recorder's own text
    actions = script["ACTIONS"]
    assert isinstance(actions, dict)
    recorded = defaults_of(release)
    for number, (action, do) in enumerate(actions.items()):
        path = str(tmp_path / str(number))
        if recorded[action].refused:
            with pytest.raises(Exception, match="not supported"):
                do(path)
            continue
        do(path)
        snapshot = load_snapshot(open_store(path))
        assert snapshot.protocol == recorded[action].protocol, action
        assert snapshot.metadata.configuration == recorded[action].metadata.configuration


def test_a_default_that_leaves_the_protocol_alone_can_shut_out_clients_all_the_same() -> None:
    found = deltaadm("clients", "delta-spark@4.4.0", "--defaults")
    [row] = [line for line in found.out.splitlines() if "NOT NULL" in line]
    assert "(1, 2)" in row
    assert "cannot write: delta-kernel-java, delta-kernel-rs" in row
