"""
Which supported features a table makes use of: by its metadata, or by anything else in its state.

A feature whose property is off may be needed all the same, by domains, files or checkpoints that
were written while it was on. Whether it is, only a state that has been read shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from deltaadm.dataclass import dataclass
from deltaadm.domain.features import FEATURES, TableFeature, mapping_mode, with_requirements
from deltaadm.domain.properties import Key, whole_number
from deltaadm.domain.schema import FieldKey, StructField, all_types, path_text
from deltaadm.domain.snapshot import FileFacts, Kind, Snapshot
from deltaadm.domain.transaction.column_mapping import has_column_mapping_metadata
from deltaadm.errors import DeltaadmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    Traces = Callable[[Snapshot], "Iterable[str] | None"]


@dataclass(frozen=True)
class Usage:
    """
    The use that a table makes of a feature that its protocol supports.

    `evidence` is what makes use of it, in words. Where there is none, `known` tells whether that
    is certain; it is not where the state was read in part only, or does not say.
    """

    evidence: tuple[str, ...] = ()
    known: bool = True

    @property
    def is_unused(self) -> bool:
        """Whether it is certain that nothing uses the feature."""
        return self.known and not self.evidence


def usages(snapshot: Snapshot) -> Mapping[str, Usage]:
    """
    The use of each feature that the protocol of *snapshot* supports, by its name.

    One that the log spells in another way than the registry is there under both names.
    """
    protocol = snapshot.protocol
    names = sorted(protocol.names)
    own = dict.fromkeys(names, Usage(known=False))
    known = {}
    for name in names:
        feature = TableFeature.lookup(name)
        if feature is not None:
            known[name] = feature.name
            try:  # not `suppress`, which would have `inspect` import its module
                evidence = feature.activation.evidence(snapshot.metadata)
                find = _TRACES.get(feature.name)
                traces = find(snapshot) if find else ("active whenever it is supported",)
                more = None if traces is None else tuple(traces)
                certain = bool(evidence) or more is not None
                own[name] = Usage((*evidence, *(more or ())), known=certain)
            except DeltaadmError:  # metadata that cannot be understood
                continue
    listed = [name for name in own if name in FEATURES]  # there may be thousands of others
    usage = {name: _with_dependents(name, own, listed) for name in names}
    return usage | {official: usage[name] for name, official in known.items()}


def _with_dependents(name: str, by_name: Mapping[str, Usage], listed: Iterable[str]) -> Usage:
    """The use of a feature includes that by *listed* ones which require it, directly or not."""
    others = [other for other in listed if other != name and name in with_requirements([other])]
    others.sort(key=lambda other: name not in FEATURES[other].requires)  # those that do directly
    required_by = (f"required by {other}" for other in others if by_name[other].evidence)
    evidence = (*by_name[name].evidence, *required_by)
    return Usage(evidence, bool(evidence) or all(by_name[each].known for each in (name, *others)))


# What of the state shows the use of a feature: None where the state was not read


def _nothing(_: Snapshot) -> Iterable[str]:
    return ()


def _clustering(snapshot: Snapshot) -> Iterable[str] | None:
    from deltaadm.domain.transaction import columns as of  # which few tables need

    columns = of.clustering_columns(snapshot)
    if columns is None:
        return None
    listed = ", ".join(map(path_text, columns))
    return [f"the table is clustered by {listed}"] if columns else []


def _v2_checkpoint(snapshot: Snapshot) -> Iterator[str]:
    checkpoint = None if snapshot.segment is None else snapshot.segment.checkpoint
    if checkpoint is not None and checkpoint.kind is Kind.V2_CHECKPOINT:
        yield f"the checkpoint of version {checkpoint.version} is a V2 checkpoint"


def _mapped_columns(snapshot: Snapshot) -> Iterator[str]:
    metadata = snapshot.metadata
    if mapping_mode(metadata) == "none" and has_column_mapping_metadata(metadata.schema):
        yield "columns have ids and physical names"


def _protected_history(snapshot: Snapshot) -> Iterator[str]:
    text = snapshot.metadata.configuration.get(Key.PROTECTED_BEFORE)
    # 0 is the default, before which there is nothing to protect.
    if text is not None and whole_number(text) != 0:
        yield f"property {Key.PROTECTED_BEFORE} is {text}"


def _materialized(snapshot: Snapshot) -> Iterator[str]:
    """In force as long as it is supported, whatever its property says, where there are any."""
    columns = snapshot.metadata.partition_columns
    if columns:
        yield f"files hold the partition columns {', '.join(columns)}"


def _shredded(snapshot: Snapshot) -> Iterable[str] | None:
    """Only data files tell whether variants in them are shredded."""
    is_known = all(each.name != "variant" for each in snapshot.metadata.primitive_types)
    return () if is_known else None


def _files_with(count: Callable[[FileFacts], int], what: str) -> Traces:
    def traces(snapshot: Snapshot) -> Iterable[str] | None:
        if snapshot.files is None:
            return None
        number = count(snapshot.files)
        return [f"the table's files have {what} ({number})"] if number else []

    return traces


def _where(test: Callable[[StructField], bool], what: str) -> Traces:
    def traces(snapshot: Snapshot) -> Iterator[str]:
        for path, field in snapshot.metadata.schema.walk():
            if test(field):
                yield f"column {path_text(path)} {what}"

    return traces


def _is_collated(column: StructField) -> bool:
    return "__COLLATIONS" in column.metadata or any(
        data_type.name.startswith("string collate") for data_type in all_types(column.type)
    )


_WIDENED: Final = _where(lambda field: FieldKey.TYPE_CHANGES in field.metadata, "has been widened")
_COLLATED: Final = _where(_is_collated, "has a collation")

_TRACES: Final[Mapping[str, Traces]] = {
    **{name: _nothing for name, feature in FEATURES.items() if feature.activation.find is not None},
    "allowColumnDefaults": _where(
        lambda column: "CURRENT_DEFAULT" in column.metadata, "has a default"
    ),
    "checkpointProtection": _protected_history,
    "clustering": _clustering,
    "collations": _COLLATED,
    "collations-preview": _COLLATED,
    "columnMapping": _mapped_columns,
    "deletionVectors": _files_with(lambda files: files.with_deletion_vector, "deletion vectors"),
    "domainMetadata": lambda snapshot: (
        None
        if snapshot.domains is None
        else (f"the table has the domain {name}" for name in sorted(snapshot.domains))
    ),
    "materializePartitionColumns": _materialized,
    "rowTracking": _files_with(lambda of: of.files - of.without_base_row_id, "row ids"),
    "timestampWithoutTimezone": lambda snapshot: FEATURES["timestampNtz"].activation.evidence(
        snapshot.metadata
    ),
    "typeWidening": _WIDENED,
    "typeWidening-preview": _WIDENED,
    "v2Checkpoint": _v2_checkpoint,
    "vacuumProtocolCheck": _nothing,
    "variantShredding": _shredded,
    "variantShredding-preview": _shredded,
}
"""By feature; one that is not here is in force by itself."""
