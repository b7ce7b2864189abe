"""What is in use is never called superfluous, nor dropped on the way down."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaadm.domain.actions import DomainMetadata
from deltaadm.domain.features import FEATURES
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.steps import DropFeature
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.domain.usage import usages
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError
from deltaadm.plans.features import plan_minimum
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.reports.inspect import describe
from deltaadm.storage.store import open_store
from tests.support import oracle
from tests.support.cases import each
from tests.support.examples import TIMES
from tests.support.tables import column, schema

WIDENED = {"delta.typeChanges": [{"fromType": "short", "toType": "integer", "tableVersion": 1}]}


# Laws


def dropped(snapshot: Snapshot) -> set[str]:
    try:
        plan = plan_minimum(snapshot, lambda _: FeatureHistory(first=0), now=10**15)
    except DeltaadmError:
        return set()
    return {step.name for step in plan.steps if isinstance(step, DropFeature)}


def check(snapshot: Snapshot) -> None:
    """
    What is active or used is neither superfluous nor dropped, and reading more decides more.

    What guards older versions is dropped together with them.
    """
    report = describe("t", snapshot)
    used = {name for name, usage in usages(snapshot).items() if usage.evidence}
    active = {feature.name for feature in report.features if feature.active}
    assert not set(report.slack) & (used | active)
    assert not set(report.possible_slack) & used
    assert dropped(snapshot) - {"checkpointProtection"} <= set(report.slack)
    unread = describe("t", replace(snapshot, domains=None, files=None))
    assert set(unread.slack) <= set(report.slack)
    assert set(report.slack) <= {*unread.slack, *unread.possible_slack}


@oracle.NEEDS_CORPUS
@each("table", oracle.corpus_by_name())
def test_public_tables(table: oracle.CorpusTable) -> None:
    path = table.path
    try:
        snapshot = load_snapshot(open_store(str(path)), detail=Detail.STATE)
    except DeltaadmError:
        return
    check(snapshot)


@pytest.mark.parametrize("name", oracle.table_names())
def test_tables_of_the_engine(name: str, tmp_path: Path) -> None:
    path = oracle.table(name, tmp_path).path
    check(load_snapshot(open_store(str(path)), detail=Detail.STATE))


KEYS = (
    *("delta.enableDeletionVectors", "delta.enableRowTracking", "delta.enableTypeWidening"),
    *("delta.appendOnly", "delta.enableChangeDataFeed", "delta.enableVariantShredding"),
    *("delta.enableIcebergCompatV2", "delta.enableInCommitTimestamps"),
)
columns = st.sampled_from([
    column("a"),
    column("a", nullable=False),
    column("a", "variant"),
    column("a", "timestamp_ntz"),
    column("a", CURRENT_DEFAULT="1"),
    column("a", **WIDENED),
    column("a", **{"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}),
])  # fmt: skip
domains = st.none() | st.dictionaries(
    st.sampled_from(["mine", "delta.rowTracking", "delta.clustering"]),
    st.just(DomainMetadata("d", '{"clusteringColumns":[["a"]]}')),
)
files = st.none() | st.builds(
    FileFacts,
    files=st.just(3),
    with_deletion_vector=st.integers(0, 3),
    without_base_row_id=st.integers(0, 3),
)
listed = st.sets(st.sampled_from([*FEATURES, "fromTheFuture"]), max_size=8)
LEGACY = (Protocol(1, 2), Protocol(1, 4), Protocol(2, 5), Protocol(1, 6))


@settings(max_examples=150 * TIMES)
@given(
    names=listed,
    versions=st.none() | st.sampled_from(LEGACY),
    column=columns,
    keys=st.sets(st.sampled_from(KEYS)),
    domains=domains,
    files=files,
)
def test_any_table(
    names: set[str],
    versions: Protocol | None,
    column: Any,
    keys: set[str],
    domains: Any,
    files: FileFacts | None,
) -> None:
    readers = frozenset(name for name in names if name not in FEATURES or FEATURES[name].is_reader)
    check(Snapshot(
        root="", version=0,
        protocol=versions or Protocol(3, 7, readers, frozenset(names)),
        metadata=Metadata(schema_string=schema(column), configuration=dict.fromkeys(keys, "true")),
        domains=domains, files=files,
    ))  # fmt: skip
