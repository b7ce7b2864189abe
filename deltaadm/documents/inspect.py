"""The document of `inspect` for a table."""

from __future__ import annotations

from deltaadm.clients import Access
from deltaadm.documents.common import Document
from deltaadm.documents.verdict import JUDGEMENT
from deltaadm.domain.model.features import Kind, Status, undo_feature
from deltaadm.domain.model.json_values import (
    BOOLEAN,
    COUNT,
    INTEGER,
    OPEN,
    STRING,
    STRINGS,
    Json,
    array,
    maybe,
    one_of,
    record,
    shared,
)
from deltaadm.domain.model.protocol import PROTOCOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Final

    from deltaadm.clients import ClientRelease, Verdict

_FEATURE: Final = record(
    name=STRING,
    kind=(
        one_of(Kind, "unknown"),
        lambda report: report.feature.kind if report.feature else "unknown",
    ),
    supported=Json({"enum": ["explicit", "implicit", None]}),
    active=BOOLEAN,
    because=STRINGS,
    status=(
        one_of(Status, "unknown"),
        lambda report: report.feature.status if report.feature else "unknown",
    ),
    requires=(STRINGS, lambda report: sorted(report.feature.requires) if report.feature else ()),
    undo=(STRING, lambda report: undo_feature(report.feature)),
)
_MAPPING: Final = record(
    mode=STRING,
    supported=BOOLEAN,
    max_column_id=maybe(INTEGER),
    columns=maybe(array(record(path=STRING, id=maybe(INTEGER), physical_name=STRING, type=STRING))),
)
_FILES: Final = record(
    files=COUNT,
    bytes=COUNT,
    with_deletion_vector=COUNT,
    bytes_with_deletion_vector=COUNT,
    without_stats=COUNT,
    without_num_records=COUNT,
    without_base_row_id=COUNT,
    partition_keys=(array(STRINGS), lambda files: sorted(map(list, files.partition_keys))),
)


_VERDICT: Final = record(**JUDGEMENT)
_CLIENTS: Final = array(
    record(
        client=(STRING, lambda verdicts: verdicts[0].release.client.id),
        name=(STRING, lambda verdicts: verdicts[0].release.client.name),
        version=(STRING, lambda verdicts: verdicts[0].release.version),
        read=(_VERDICT, lambda verdicts: _with(Access.READ, verdicts)),
        write=(_VERDICT, lambda verdicts: _with(Access.WRITE, verdicts)),
    )
)


def _with(access: Access, verdicts: Sequence[Verdict]) -> Verdict:
    return next(verdict for verdict in verdicts if verdict.access is access)


def _write_clients(verdicts: tuple[Verdict, ...]) -> Any:
    by_release: dict[ClientRelease, list[Verdict]] = {}
    for verdict in verdicts:
        by_release.setdefault(verdict.release, []).append(verdict)
    return _CLIENTS.write(by_release.values())


DOCUMENT: Final = Document.of(
    "The output of `inspect` for a table",
    table=STRING,
    location=(STRING, lambda report: report.snapshot.root),
    version=(COUNT, lambda report: report.snapshot.version),
    timestamp=(maybe(INTEGER), lambda report: report.snapshot.timestamp),
    protocol=(PROTOCOL, lambda report: report.snapshot.protocol),
    metadata=(OPEN, lambda report: report.snapshot.metadata.to_wire()),
    features=shared(array(_FEATURE)),
    minimum_protocol=maybe(PROTOCOL),
    classic_minimum_versions=maybe(
        record(
            minReaderVersion=(INTEGER, lambda versions: versions[0]),
            minWriterVersion=(INTEGER, lambda versions: versions[1]),
        )
    ),
    lowest_equivalent_protocol=maybe(PROTOCOL),
    slack=STRINGS,
    possible_slack=STRINGS,
    column_mapping=(_MAPPING, lambda report: report.mapping),
    clients=shared(Json(lambda: _CLIENTS.schema, _write_clients)),
    clustering_columns=maybe(array(STRINGS)),
    files=(maybe(_FILES), lambda report: report.snapshot.files),
    reference_client=(
        record(
            reads=(BOOLEAN, lambda report: report.refused_to_read is None),
            writes=(BOOLEAN, lambda report: report.refused_to_write is None),
            delta_error_class=(
                maybe(STRING),
                lambda report: (
                    report.refused_to_write and report.refused_to_write.delta_error_class
                ),
            ),
        ),
        lambda report: report,
    ),
    warnings=STRINGS,
)
