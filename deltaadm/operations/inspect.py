"""`inspect`: what a table's protocol is, why, and how much of it is needed."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache, partial
from operator import is_

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.facts.usage import usages
from deltaadm.domain.model.features import FEATURES, dependents, lookup, mapping_mode
from deltaadm.domain.model.metadata import Metadata, Traits
from deltaadm.domain.model.properties import COLUMN_MAPPING_MODE, is_protocol_property
from deltaadm.domain.model.protocol import Protocol, minimum_protocol, required_minimum_protocol
from deltaadm.domain.model.schema import path_text, type_name, walk
from deltaadm.domain.model.snapshot import Snapshot
from deltaadm.domain.transaction.column_mapping import (
    column_id,
    max_column_id,
    physical_name,
)
from deltaadm.domain.transaction.spark_support import refusal_to_read, refusal_to_write
from deltaadm.errors import DeltaadmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeVar

    from deltaadm.clients import Verdict
    from deltaadm.domain.facts.usage import Usage
    from deltaadm.domain.model.features import TableFeature
    from deltaadm.domain.model.schema import Path

    Result = TypeVar("Result")


class ClientView(Enum):
    """The presentation of verdicts on clients: grouped, as a matrix, or each with its sources."""

    SUMMARY = "summary"
    MATRIX = "matrix"
    SOURCES = "sources"


@dataclass(frozen=True)
class FeatureReport:
    """
    One feature of a table.

    `supported` is "explicit", "implicit" or None; `active` means supported and in use by the
    metadata, or, where nothing in the metadata asks for it, not known to be unused; `because` says
    what lists, implies, activates, uses or requires it. `feature` is None for a name that nobody
    knows.
    """

    name: str
    feature: TableFeature | None
    supported: str | None
    active: bool
    because: tuple[str, ...]


@dataclass(frozen=True)
class ColumnReport:
    """One column, at any depth; `physical_name` is its name in data files."""

    path: str
    id: int | None
    physical_name: str
    type: str


@dataclass(frozen=True)
class MappingReport:
    """
    The column mapping of a table.

    `mode` is the property's value, also where it is wrong; `columns` is None where they were
    not asked for.
    """

    mode: str
    supported: bool
    max_column_id: int | None
    columns: tuple[ColumnReport, ...] | None


@dataclass(frozen=True)
class TableReport:
    """
    Everything `inspect` knows.

    `minimum_protocol` is the weakest one under which the metadata is legal,
    `lowest_equivalent_protocol` the weakest with the same features as the actual one; each is
    None where it cannot be determined, and a warning says why. `usage` tells of each supported
    feature whether the state uses it. `clustering_columns` is None where the whole state was not
    asked for. `clients` are the verdicts on the newest release of every client, and `client_view`
    says how they are shown. `advises` says that advice belongs to it.
    """

    table: str
    snapshot: Snapshot
    features: tuple[FeatureReport, ...]
    minimum_protocol: Protocol | None
    classic_minimum_versions: tuple[int, int] | None
    lowest_equivalent_protocol: Protocol | None
    mapping: MappingReport
    clustering_columns: tuple[Path, ...] | None
    clients: tuple[Verdict, ...]
    client_view: ClientView
    usage: Mapping[str, Usage]
    refused_to_read: DeltaadmError | None
    refused_to_write: DeltaadmError | None
    warnings: tuple[str, ...]
    advises: bool = False

    document = "inspect"
    blocks = "tables.show_table"

    @property
    def slack(self) -> tuple[str, ...]:
        """The supported features that nothing in the table uses, in alphabetical order."""
        return tuple(name for name in self._beyond_minimum if self.usage[name].is_unused)

    @property
    def possible_slack(self) -> tuple[str, ...]:
        """The supported features that may be unused: the state was not read or does not show it."""
        return tuple(
            name
            for name in self._beyond_minimum
            if not self.usage[name].evidence and not self.usage[name].known
        )

    @property
    def _beyond_minimum(self) -> tuple[str, ...]:
        if self.minimum_protocol is None:
            return ()
        needed = self.minimum_protocol.supported_features
        return tuple(sorted(self.snapshot.protocol.supported_features - needed))


def describe(
    table: str,
    snapshot: Snapshot,
    *,
    columns: bool = False,
    clients: ClientView = ClientView.SUMMARY,
    advice: bool = False,
) -> TableReport:
    """
    The report on *snapshot*, for the table that the user calls *table*.

    Its *columns*, more of the *clients*, and *advice* are shown on request.

    Never fails: what cannot be determined is left out, and a warning says why.
    """
    warnings: list[str] = list(snapshot.warnings)
    attempt = _ErrorCollector(warnings)
    metadata, protocol = snapshot.metadata, snapshot.protocol
    needs = _needs(protocol, Traits.of(metadata), in_catalog=snapshot.name is not None)
    warnings.extend(warning for warning in needs.errors if warning not in warnings)
    usage = usages(snapshot)
    warnings.extend(needs.warnings)
    for refusal in (needs.refused_to_read, needs.refused_to_write):
        if refusal is not None and refusal.message not in warnings:
            warnings.append(refusal.message)
    return TableReport(
        table=table,
        snapshot=snapshot,
        features=_as_used(needs.features, usage),
        minimum_protocol=needs.minimum,
        classic_minimum_versions=needs.classic,
        lowest_equivalent_protocol=needs.lowest,
        mapping=_mapping(snapshot, attempt, columns=columns),
        clustering_columns=None
        if snapshot.domains is None
        else attempt(lambda: _clustering(snapshot)),
        clients=needs.clients,
        client_view=clients,
        usage=usage,
        refused_to_read=needs.refused_to_read,
        refused_to_write=needs.refused_to_write,
        warnings=tuple(warnings),
        advises=advice,
    )


def _as_used(
    reports: tuple[FeatureReport, ...], usage: Mapping[str, Usage]
) -> tuple[FeatureReport, ...]:
    """*reports* with what the state beside the metadata shows; the same object if nothing does."""
    used = tuple(_with_usage(report, usage.get(report.name)) for report in reports)
    return reports if all(map(is_, used, reports)) else used


def _with_usage(report: FeatureReport, usage: Usage | None) -> FeatureReport:
    feature = report.feature
    if usage is None or feature is None:
        return report
    more = tuple(trace for trace in usage.evidence if trace not in report.because)
    idle = feature.activation.find is None and usage.is_unused
    if not more and not idle:
        return report
    return replace(report, active=report.active and not idle, because=(*report.because, *more))


def _clustering(snapshot: Snapshot) -> tuple[Path, ...] | None:
    from deltaadm.domain.transaction.clustering import (
        clustering_columns,  # which most runs do not need
    )

    return clustering_columns(snapshot)


@dataclass(frozen=True)
class _Needs:
    """
    The features that protocol and traits need, and the verdicts on clients.

    `errors` say why something of it cannot be determined.
    """

    minimum: Protocol | None
    classic: tuple[int, int] | None
    lowest: Protocol | None
    features: tuple[FeatureReport, ...]
    clients: tuple[Verdict, ...]
    refused_to_read: DeltaadmError | None
    refused_to_write: DeltaadmError | None
    errors: tuple[str, ...]
    warnings: tuple[str, ...]


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _needs(protocol: Protocol, traits: Traits, *, in_catalog: bool) -> _Needs:
    from deltaadm.clients import newest_releases, verdicts

    errors: list[str] = []
    attempt = _ErrorCollector(errors)
    metadata = traits.metadata
    name = "its name" if in_catalog else None
    alike = Snapshot(root="", version=0, protocol=protocol, metadata=metadata, name=name)
    minimum = attempt(lambda: minimum_protocol(metadata))
    classic = attempt(lambda: _classic(metadata))
    lowest = attempt(protocol.denormalized_normalized)
    features = tuple(_features(protocol, metadata, attempt))
    return _Needs(
        minimum=minimum,
        classic=classic,
        lowest=lowest,
        features=features,
        clients=verdicts(newest_releases(), protocol, metadata),
        refused_to_read=refusal_to_read(alike),
        refused_to_write=refusal_to_write(alike),
        errors=tuple(errors),
        warnings=tuple(_warnings(metadata, features)),
    )


class _ErrorCollector:
    """Calls what may fail, and notes the failure in place of an answer."""

    def __init__(self, warnings: list[str]) -> None:
        self._warnings = warnings

    def __call__(self, find: Callable[[], Result]) -> Result | None:
        try:
            return find()
        except DeltaadmError as error:
            if error.message not in self._warnings:
                self._warnings.append(error.message)
            return None


def _classic(metadata: Metadata) -> tuple[int, int]:
    protocol, _ = required_minimum_protocol(metadata)
    return max(1, protocol.min_reader_version), max(1, protocol.min_writer_version)


def _features(
    protocol: Protocol, metadata: Metadata, attempt: _ErrorCollector
) -> Iterator[FeatureReport]:
    evidence = {
        name: attempt(partial(entry.activation.evidence, metadata)) or ()
        for name, entry in FEATURES.items()
    }
    asked = {
        name
        for name, uses in evidence.items()
        if uses
        and FEATURES[name].activation.auto_enables
        and FEATURES[name].in_delta_spark
        # Delta adds no feature beside its preview, nor the other way round.
        and not _has_twin(FEATURES[name], protocol)
    }
    implied = protocol.implicit_features
    for name in sorted(protocol.explicit_names | implied | asked):
        feature = lookup(name)
        supported = (
            "explicit"
            if name in protocol.explicit_names
            else "implicit"
            if name in implied
            else None
        )
        uses = evidence.get(feature.name, ()) if feature else ()
        yield FeatureReport(
            name=name,
            feature=feature,
            supported=supported,
            active=supported is not None
            and feature is not None
            and (bool(uses) or feature.activation.find is None),
            because=tuple(_because(protocol, name, supported, uses)),
        )


def _has_twin(feature: TableFeature, protocol: Protocol) -> bool:
    return feature.twin is not None and protocol.supports(feature.twin)


def _because(
    protocol: Protocol, name: str, supported: str | None, evidence: tuple[str, ...]
) -> Iterator[str]:
    if supported == "implicit":
        yield (
            f"implied by reader version {protocol.min_reader_version} and writer version "
            f"{protocol.min_writer_version}"
        )
    if supported == "explicit":
        lists = [
            key
            for key, names in (
                ("readerFeatures", protocol.reader_features),
                ("writerFeatures", protocol.writer_features),
            )
            if name in (names or ())
        ]
        yield f"listed in {' and '.join(lists)}"
    yield from evidence
    for other in dependents(name, protocol.explicit_names):
        yield f"required by {other}"


def _columns(metadata: Metadata) -> Iterator[ColumnReport]:
    for path, field in walk(metadata.schema):
        yield ColumnReport(
            path=path_text(path),
            id=column_id(field),
            physical_name=physical_name(field),
            type=type_name(field.type),
        )


def _mapping(snapshot: Snapshot, attempt: _ErrorCollector, *, columns: bool) -> MappingReport:
    metadata = snapshot.metadata
    mode = attempt(lambda: mapping_mode(metadata))
    return MappingReport(
        mode=mode or metadata.configuration[COLUMN_MAPPING_MODE],
        supported=snapshot.protocol.supports("columnMapping"),
        max_column_id=max_column_id(metadata),
        columns=(attempt(lambda: tuple(_columns(metadata))) or ()) if columns else None,
    )


def _warnings(metadata: Metadata, features: tuple[FeatureReport, ...]) -> Iterator[str]:
    unknown = sorted(feature.name for feature in features if feature.feature is None)
    if unknown:
        yield f"Unknown table features {', '.join(unknown)}; most clients will refuse the table."
    missing = sorted(feature.name for feature in features if feature.supported is None)
    if missing:
        yield (
            f"The metadata uses {', '.join(missing)}, which the protocol does not support; clients "
            "treat such a table differently."
        )
    stored = sorted(filter(is_protocol_property, metadata.configuration))
    if stored:
        yield (
            f"The properties contain {', '.join(stored)}, which belongs in the protocol and has no "
            "effect here."
        )
