"""Blocks of since when and why a table supports its features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.cost import Cost
from deltaadm.operations.drop_feature import Phase
from deltaadm.render.blocks import Heading, Table
from deltaadm.render.blocks.history import moment
from deltaadm.render.blocks.plans import drop_sentences
from deltaadm.render.wording import COSTS, DOES, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deltaadm.clients import Verdict
    from deltaadm.operations.history import Origin
    from deltaadm.operations.why import (
        AbsentFeature,
        FeatureOrigin,
        Reason,
        VersionOrigin,
        WhyReport,
    )
    from deltaadm.render.blocks import Block


def show_why(report: WhyReport) -> Iterator[Block]:
    """Why a table supports its features."""
    yield Heading(f"why: {report.table} (version {report.version})", level=1)
    for version in report.versions:
        title = f"{version.side.value.capitalize()} version {version.version}"
        yield from _facts(title, _version_rows(version))
    for feature in report.features:
        supported = "listed" if feature.supported == "explicit" else "implied"
        yield from _facts(f"{feature.name} ({supported})", _feature_rows(feature))
    for absent in report.absent:
        yield from _facts(f"{absent.name} (not supported)", _absent_rows(absent))


def _facts(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[Block]:
    yield Heading(title)
    yield Table(title, (), tuple(rows))


def _version_rows(version: VersionOrigin) -> Iterator[tuple[str, str]]:
    yield from _origin_rows(version.since, version.reason)
    yield "needed by", ", ".join(version.needed_by) or "nothing in the table"


def _feature_rows(feature: FeatureOrigin) -> Iterator[tuple[str, str]]:
    yield from _origin_rows(feature.since, feature.reason)
    usage = feature.usage
    unused = "nothing in the table" if usage.known else "not known"
    yield "used by", "; ".join(usage.evidence) or unused
    yield "dropping it", " ".join(drop_sentences(feature.dropping))
    if feature.cost is not None and feature.dropping.phase is not Phase.ABSENT:
        yield "cost", _cost(feature.cost)
    yield from _gain_rows(feature.gains)


def _cost(cost: Cost) -> str:
    return "metadata only; no data files are rewritten" if cost is Cost.METADATA else COSTS[cost]


def _absent_rows(absent: AbsentFeature) -> Iterator[tuple[str, str]]:
    if absent.since is None:
        yield "since", "no version in the log supports it"
    else:
        yield "no longer since", _when(absent.since)


def _origin_rows(since: Origin, reason: Reason) -> Iterator[tuple[str, str]]:
    yield "since", _when(since)
    yield "because", f"{_CAUSES[reason.cause.value]}{'; '.join(reason.because)}"


def _when(since: Origin) -> str:
    if since.at_or_before:
        return f"at or before version {since.version} ({moment(since.timestamp)})"
    user = f"by {since.user}" if since.user else ""
    engine = f"({since.engine})" if since.engine else ""
    origin = " ".join(filter(None, (since.operation, user, engine)))
    return f"version {since.version}, {moment(since.timestamp)}{': ' if origin else ''}{origin}"


_CAUSES: Final[Mapping[str, str]] = {
    "requested": "requested: ",
    "activated": "activated: ",
    "required": "",
    "implied": "",
    "default": "default: ",
    "dropping": "",
    "unknown": "not known: ",
}
"""The prefix of each cause; many need none."""


def _gain_rows(gains: Sequence[Verdict]) -> Iterator[tuple[str, str]]:
    """The clients that could do more without the feature, by what they could do."""
    by_word: dict[str, list[Verdict]] = {}
    for verdict in gains:
        word = DOES[verdict.compatibility.value][verdict.access.value]
        by_word.setdefault(word, []).append(verdict)
    for word, features in by_word.items():
        yield f"then {word}", grouped(features)
