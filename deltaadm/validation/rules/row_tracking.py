"""DL5xx: what row tracking demands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltaadm.domain.model.properties import (
    ROW_COMMIT_VERSION_COLUMN,
    ROW_ID_COLUMN,
    switch,
)
from deltaadm.domain.model.wire import integer
from deltaadm.domain.transaction.column_mapping import physical_name
from deltaadm.domain.transaction.feature_removal import ROW_TRACKING_DOMAIN
from deltaadm.domain.transaction.iceberg import ROW_TRACKING
from deltaadm.limits import load_json
from deltaadm.validation.rule import Problem, Scope, Severity, rule
from deltaadm.validation.states import is_on, top_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts.facts import SnapshotFacts
    from deltaadm.domain.model.snapshot import Snapshot


def _tracks_rows(snapshot: Snapshot) -> bool:
    return is_on(snapshot, "rowTracking", ROW_TRACKING)


def _domain(snapshot: Snapshot, name: str) -> dict[str, Any]:
    """The configuration of a domain; empty where it is absent or no JSON object."""
    domain = (snapshot.domains or {}).get(name)
    try:
        document = load_json(domain.configuration) if domain is not None else {}
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


@rule("DL501", Severity.ERROR, Scope.SNAPSHOT)
def files_without_row_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Row tracking is on, and live files lack a base row id or a default row commit version.

    Why it matters: rows of such files have no identity, so that anything that tracks changes by
    row id, such as an incremental materialized view, fails or loses them.

    What to do: find the writer that does not honour row tracking. Turning row tracking off and
    on again gives every file its ids.

    Source: PROTOCOL.md, Row Tracking.
    """
    totals = table.totals
    if totals is not None and totals.without_row_tracking.count and _tracks_rows(table.snapshot):
        lacking = totals.without_row_tracking
        yield Problem(
            f"Row tracking is on, but {lacking.count} of {totals.facts.files} files lack row "
            f"ids, such as {lacking.paths[0]!r}.",
            f"configuration[{ROW_TRACKING}]",
        )


@rule("DL502", Severity.ERROR, Scope.SNAPSHOT)
def overlapping_row_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Two live files share row ids.

    Why it matters: a row id identifies one row. With the same id twice, changes are applied to
    the wrong row.

    What to do: find the writer that assigned them. Turning row tracking off and on again
    assigns new ones.

    Source: PROTOCOL.md, Row IDs.
    """
    if table.totals is None or not table.state.supports("rowTracking"):
        return
    for left, right in table.totals.overlapping_row_ids:
        yield Problem(f"The files {left!r} and {right!r} share row ids.", left)


@rule("DL503", Severity.ERROR, Scope.SNAPSHOT)
def row_id_mark_too_low(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The high water mark of row ids is missing, or lies below a row id that is in use.

    Why it matters: the next writer gives new rows ids that others have already.

    What to do: stop writing, and find the writer that did not raise the mark. Turning row
    tracking off and on again assigns new ids.

    Source: PROTOCOL.md, Row IDs (domain delta.rowTracking).
    """
    highest = None if table.totals is None else table.totals.highest_row_id
    if highest is None or not table.state.supports("rowTracking"):
        return
    mark = integer(_domain(table.snapshot, ROW_TRACKING_DOMAIN).get("rowIdHighWaterMark"))
    if mark is None or mark < highest:
        shown = "missing" if mark is None else str(mark)
        yield Problem(
            f"The high water mark of row ids is {shown}, but row id {highest} is in use.",
            f"domainMetadata[{ROW_TRACKING_DOMAIN}]",
        )


@rule("DL504", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def unusable_row_tracking_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Row tracking is on, and the name of a column that it keeps its values in is missing or taken.

    Why it matters: rewritten rows keep their ids in these columns of the data files. Without a
    name of its own they are lost, or mixed up with the data.

    What to do: rename the column of the table that has the name. Where the name is missing,
    turning row tracking off and on again assigns it.

    Source: PROTOCOL.md, Row Tracking; Delta Spark,
    DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED.
    """
    snapshot = table.snapshot
    if not _tracks_rows(snapshot):
        return
    taken = {field.name.lower() for field in top_fields(snapshot.metadata)}
    # The column is stored in data files, which have the physical names.
    taken |= {physical_name(field).lower() for field in top_fields(snapshot.metadata)}
    for key in (ROW_ID_COLUMN, ROW_COMMIT_VERSION_COLUMN):
        name = snapshot.metadata.configuration.get(key, "")
        if not name:
            yield Problem(f"Row tracking is on, but {key} is not set.", f"configuration[{key}]")
        elif name.lower() in taken:
            yield Problem(f"{key} is {name!r}, which is already in use.", f"configuration[{key}]")
        taken.add(name.lower())


@rule("DL505", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def row_tracking_on_and_suspended(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Row tracking is on and suspended at the same time.

    Why it matters: the one promises that every file has row ids, the other that writers assign
    none. Delta refuses every change of such a table.

    What to do: set one of the two properties to false.

    Source: PROTOCOL.md, Row Tracking; Delta Spark, DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION.
    """
    configuration = table.snapshot.metadata.configuration
    if switch(configuration, ROW_TRACKING) and switch(configuration, "delta.rowTrackingSuspended"):
        yield Problem(
            "Both delta.enableRowTracking and delta.rowTrackingSuspended are true.",
            "configuration[delta.rowTrackingSuspended]",
        )
