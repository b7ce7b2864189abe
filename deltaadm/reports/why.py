"""`inspect --why`: since when, why, what dropping takes; `--for-client`: whether a client can."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any, Final

from deltaadm.blocks import Block, Command, Heading, Table, in_words
from deltaadm.clients import (
    JUDGEMENT,
    ClientRelease,
    Compatibility,
    Verdict,
    conditions,
    damages,
    newest_releases,
    shifts,
    verdicts,
)
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.domain import steps as kinds
from deltaadm.domain.features import Cost, TableFeature, dependents
from deltaadm.domain.properties import Key
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.removal import CHECKPOINT_PROTECTION, FeatureHistory
from deltaadm.domain.usage import Usage, usages
from deltaadm.domain.wire import CommitInfo, moment
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.json_values import COUNT, STRINGS, Json, array, maybe, name_of, one_of, record, within
from deltaadm.masking import quoted_argument
from deltaadm.plans.document import DROPPING
from deltaadm.plans.features import DropStatus, Phase, after_all_runs, drop_status, truncates
from deltaadm.plans.goals import plan_for_clients
from deltaadm.plans.plan import Goal, Plan
from deltaadm.plans.undo import advice_for
from deltaadm.reports.history import ORIGIN, Origin, origin
from deltaadm.reports.plans import drop_sentences
from deltaadm.reports.words import COSTS, DOES, cost_text, grouped


class Cause(Enum):
    """
    Why a commit has given a table a feature or a version.

    `DEFAULT` is what a new table has by itself, `DROPPING` what dropping another feature did.
    """

    REQUESTED = "requested"
    ACTIVATED = "activated"
    REQUIRED = "required"
    IMPLIED = "implied"
    DEFAULT = "default"
    DROPPING = "dropping"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Reason:
    """The cause, and what shows it, in words."""

    cause: Cause
    because: tuple[str, ...]


class Side(Enum):
    """Whose version of the protocol it is."""

    READER = "reader"
    WRITER = "writer"

    def version(self, protocol: Protocol) -> int:
        """Their version."""
        return protocol.min_reader_version if self is Side.READER else protocol.min_writer_version

    def listed(self, protocol: Protocol) -> frozenset[str]:
        """The features that the protocol lists for them."""
        listed = protocol.reader_features if self is Side.READER else protocol.writer_features
        return listed or frozenset()

    def needed_for(self, feature: TableFeature) -> int:
        """The version that *feature* needs."""
        return feature.versions[self is not Side.READER]


@dataclass(frozen=True)
class FeatureOrigin:
    """
    Since when and why a table supports the feature `name`, and what becomes of it.

    `supported` is "explicit" or "implicit". `cost` is what dropping it costs, None where it
    cannot be dropped. `gains` are the verdicts, after that, on the clients that could do more.
    """

    name: str
    supported: str
    since: Origin
    reason: Reason
    usage: Usage
    dropping: DropStatus
    cost: Cost | None
    gains: tuple[Verdict, ...]


@dataclass(frozen=True)
class VersionOrigin:
    """
    Since when and why the protocol has its version for readers or writers.

    `needed_by` are the features that need it.
    """

    side: Side
    version: int
    since: Origin
    reason: Reason
    needed_by: tuple[str, ...]


@dataclass(frozen=True)
class AbsentFeature:
    """A feature that the table does not support, and since when if it once did."""

    name: str
    since: Origin | None


@dataclass(frozen=True, kw_only=True)
class WhyReport:
    """The result of `inspect --why` for the table that the user calls `table`."""

    table: str
    version: int
    versions: tuple[VersionOrigin, ...]
    features: tuple[FeatureOrigin, ...]
    absent: tuple[AbsentFeature, ...]

    document = "why"
    blocks = "deltaadm.reports.why.show_why"


def explain_protocol(
    table: str,
    snapshot: Snapshot,
    base: Snapshot,
    changes: Iterable[tuple[Snapshot, Snapshot]],
    history_of: Callable[[str], FeatureHistory],
    *,
    words: Collection[str],
    now: int,
    session: SessionSettings,
) -> WhyReport:
    """
    The report on *snapshot*, whose whole state was read.

    *changes* are the states before and after each commit on the way from *base* to it, and
    *history_of* tells what the log still has of a feature. *words* are names of features, reader
    and writer; none of them stands for everything.
    """
    protocol = snapshot.protocol
    known, lost = _search(base, changes)
    usage = usages(snapshot)
    had = {name.lower(): name for name in protocol.names}
    sides = [side for side in Side if side.value in words or not words]
    named = [word for word in words if word not in {side.value for side in Side}]
    everything = sorted(protocol.names, key=str.lower)
    chosen = dict.fromkeys(map(_registry_name, named) if words else everything)

    def begun(of: str | Side) -> tuple[Origin, Reason]:
        return known.get(of) or _unseen(snapshot, of)

    versions = (
        VersionOrigin(
            side, side.version(protocol), *begun(side), tuple(_needing(side, protocol, usage))
        )
        for side in sides
    )
    features = []
    for name in (had[word.lower()] for word in chosen if word.lower() in had):
        step, dropped = kinds.DropFeature(name, truncates(name)), None
        try:
            status = drop_status(snapshot, name, history_of(name), now=now, session=session)
        except DeltaadmError as error:  # metadata that cannot be understood
            refusal = RefusedError(error.message, remedy=error.remedy)
            status = DropStatus(name=name, phase=Phase.BLOCKED, refusal=refusal)
        if not status.refusal:
            with suppress(DeltaadmError):  # the table once nothing is left of it in its history
                dropped = after_all_runs(snapshot, step, session)
        features.append(
            FeatureOrigin(
                name,
                "explicit" if name in protocol.explicit_names else "implicit",
                *begun(name),
                usage=usage[name],
                dropping=status,
                cost=None if dropped is None else step.cost(snapshot),
                gains=() if dropped is None else _gains(snapshot, dropped),
            )
        )
    absent = [name for name in chosen if name.lower() not in had]
    return WhyReport(
        table=table,
        version=snapshot.version,
        versions=tuple(versions),
        features=tuple(features),
        absent=tuple(AbsentFeature(name, lost.get(name)) for name in absent),
    )


def is_word(text: str) -> bool:
    """Whether *text* is what `--why` can be asked about: a feature, reader or writer."""
    return text in {side.value for side in Side} or TableFeature.lookup(text) is not None


def _registry_name(name: str) -> str:
    feature = TableFeature.lookup(name)
    return name if feature is None else feature.name


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _unseen(snapshot: Snapshot, of: str | Side) -> tuple[Origin, Reason]:
    """The answer for a feature or version that was there before the first state of the history."""
    reason = Reason(Cause.UNKNOWN, ("the log does not reach back to it",))
    if of in snapshot.protocol.implicit_features:
        reason = Reason(Cause.IMPLIED, (_implying(snapshot.protocol),))
    return origin(snapshot, is_oldest=True), reason


def _implying(protocol: Protocol) -> str:
    return f"implied by {' and '.join(protocol.versions.values())}"


def _search(
    base: Snapshot, changes: Iterable[tuple[Snapshot, Snapshot]]
) -> tuple[dict[str | Side, tuple[Origin, Reason]], dict[str, Origin]]:
    """Since when and why there is each feature and version, and since when no longer."""
    known, lost = dict[str | Side, tuple[Origin, Reason]](), dict[str, Origin]()
    if base.exists:
        known = {of: _unseen(base, of) for of in (*base.protocol.names, *Side)}
    for before, after in changes:
        if before.protocol == after.protocol:
            continue
        old, new = before.protocol.names, after.protocol.names
        commit, since = _Commit(before, after, new - old), origin(after)
        for name in new - old:
            known[name] = since, commit.reason_for(name)
            lost.pop(_registry_name(name), None)
        for name in old - new:
            del known[name]
            lost[_registry_name(name)] = since
        for side in Side:
            if side.version(before.protocol) != side.version(after.protocol):
                known[side] = since, commit.reason_for_version(side)
    return known, lost


class _Commit:
    def __init__(self, before: Snapshot, after: Snapshot, new: frozenset[str]) -> None:
        self._before, self._after, self._new = before, after, new
        info = after.commit_info or CommitInfo()
        self._operation = info.operation
        self._dropped = info.parameter("featureName")
        properties = info.parameter("properties")
        properties = properties if isinstance(properties, dict) else {}
        self._statement_properties = {key.lower(): value for key, value in properties.items()}
        # The features that the statement asks for by name, in lower case, and with which words.
        self._requests = {
            key.lower().removeprefix(Key.FEATURE_PREFIX): f"property {key} is {value}"
            for key, value in properties.items()
            if key.lower().startswith(Key.FEATURE_PREFIX)
        }
        if self._operation == "ADD FEATURE":
            names = (name for name in _listed(info.parameter("name")) if isinstance(name, str))
            self._requests |= {name.lower(): "the operation adds it by name" for name in names}
        columns = info.parameter("clusterBy") or info.parameter("newClusteringColumns")
        if columns:
            listed = ", ".join(map(str, _listed(columns)))
            self._requests["clustering"] = f"CLUSTER BY {listed}"

    def reason_for(self, name: str) -> Reason:
        """Why the table supports the feature *name* since this commit."""
        feature, protocol = TableFeature.lookup(name), self._after.protocol
        # The statement names the feature, or one whose history it protects.
        if asked := self._requests.get(name.lower()):
            return Reason(Cause.REQUESTED, (asked,))
        if name == CHECKPOINT_PROTECTION and self._operation == "DROP FEATURE":
            return Reason(Cause.DROPPING, (f"protects the history that may need {self._dropped}",))
        # New evidence in the metadata needs it, or another new feature.
        evidence, is_new = self._evidence(feature)
        implied = (_implying(protocol),) if name in protocol.implicit_features else ()
        requiring = tuple(f"required by {other}" for other in dependents(name, self._new))
        properties = feature.activation.properties if feature else ()
        sets_others = (
            feature is not None
            and self._statement_properties
            and self._statement_properties.keys().isdisjoint(map(str.lower, properties))
        )
        if is_new and evidence and not (requiring and sets_others):
            return Reason(Cause.ACTIVATED, (*evidence, *implied))
        if requiring:
            return Reason(Cause.REQUIRED, requiring)
        # A version implies it, now or in Delta's initial protocol.
        reason = self._fallback(evidence)
        if implied:
            reason = Reason(Cause.IMPLIED, implied)
        elif not self._before.exists and name in _BEGINNING.implicit_features:
            reason = Reason(Cause.DEFAULT, ("new tables support it: writer version 2 implies it",))
        return reason

    def reason_for_version(self, side: Side) -> Reason:
        """Why the protocol has another version since this commit."""
        before, after = self._before.protocol, self._after.protocol
        version = side.version(after)
        key = f"delta.min{side.value.capitalize()}Version"
        value = self._statement_properties.get(key.lower())
        if value is not None:
            return Reason(Cause.REQUESTED, (f"property {key} is {value}",))
        if version < side.version(before) and self._operation == "DROP FEATURE":
            return Reason(Cause.DROPPING, (f"lowered when {self._dropped} was dropped",))
        needing = sorted(side.listed(after) & self._new)
        if needing:
            return Reason(Cause.REQUIRED, (f"needed to list {', '.join(needing)}",))
        # The new parts of the metadata that activate features which need the version.
        activating: list[str] = []
        for feature in filter(None, map(TableFeature.lookup, sorted(self._new))):
            evidence, is_new = self._evidence(feature)
            if is_new and side.needed_for(feature) == version:
                activating += evidence
        if activating:
            return Reason(Cause.ACTIVATED, tuple(activating))
        if not self._before.exists and version == side.version(_BEGINNING):
            return Reason(Cause.DEFAULT, (f"new tables have {side.value} version {version}",))
        return self._fallback(())

    def _fallback(self, evidence: tuple[str, ...]) -> Reason:
        if self._operation == "UPGRADE PROTOCOL":
            return Reason(Cause.REQUESTED, ("the operation upgrades the protocol",))
        if evidence:
            return Reason(Cause.ACTIVATED, evidence)
        return Reason(Cause.UNKNOWN, ("the commit does not say why",))

    def _evidence(self, feature: TableFeature | None) -> tuple[tuple[str, ...], bool]:
        """The evidence in the metadata that activates *feature*, and whether it is new."""
        if feature is None or not feature.activation.auto_enables:
            return (), False
        try:
            now = feature.activation.evidence(self._after.metadata)
            return now, now != feature.activation.evidence(self._before.metadata)
        except DeltaadmError:  # metadata that cannot be understood
            return (), False


_BEGINNING: Final = Protocol(1, 2)
"""Delta's default protocol; the features it implies are listed once any feature is."""


def _needing(side: Side, protocol: Protocol, usage: Mapping[str, Usage]) -> Iterator[str]:
    listed = side.listed(protocol)
    for name in sorted(protocol.names):
        feature = TableFeature.lookup(name)
        if name in listed or (
            feature is not None
            and not listed
            and side.needed_for(feature) == side.version(protocol)
            and (name in protocol.explicit_names or not usage[name].is_unused)
        ):
            yield name


def _gains(before: Snapshot, after: Snapshot) -> tuple[Verdict, ...]:
    """The clients that work *after* and do not *before*, as far as that is known."""
    old, new = (_judged(newest_releases(), state) for state in (before, after))
    better = (shift.before for shift in shifts(new, old))
    return tuple(verdict for verdict in better if verdict.compatibility is Compatibility.WORKS)


def _judged(releases: Iterable[ClientRelease], snapshot: Snapshot) -> tuple[Verdict, ...]:
    return verdicts(releases, snapshot.protocol, snapshot.metadata, met=conditions(snapshot))


_SINCE: Final = record(**ORIGIN)
_REASON: Final = within("reason", {"cause": one_of(Cause), "because": STRINGS})
_GAIN: Final = record(
    client=(str, lambda verdict: verdict.release.client.id),
    version=(str, lambda verdict: verdict.release.version),
    access=(str, lambda verdict: verdict.access.value),
    verdict=(str, lambda verdict: verdict.compatibility.value),
)
_FEATURE: Final = record(
    name=str,
    supported=Json({"enum": ["explicit", "implicit"]}),
    since=_SINCE,
    **_REASON,
    used_by=(STRINGS, lambda feature: feature.usage.evidence),
    usage_known=(bool, lambda feature: feature.usage.known),
    dropping=DROPPING,
    cost=maybe(name_of(Cost)),
    gains=array(_GAIN),
)
_VERSION: Final = record(side=one_of(Side), version=int, since=_SINCE, **_REASON, needed_by=STRINGS)
WHY_DOCUMENT: Final = Document.of(
    "The output of `inspect --why` for a table",
    table=str,
    version=COUNT,
    versions=array(_VERSION),
    features=array(_FEATURE),
    absent=array(record(name=str, since=maybe(_SINCE))),
)


def show_why(report: WhyReport) -> Iterator[Block]:
    """Why a table supports its features."""
    yield Heading(f"why: {report.table} (version {report.version})", level=1)
    for version in report.versions:
        title = f"{version.side.value.capitalize()} version {version.version}"
        needed_by = ", ".join(version.needed_by) or "nothing in the table"
        since = _origin_rows(version.since, version.reason)
        yield from _facts(title, *since, ("needed by", needed_by))
    for feature in report.features:
        supported = "listed" if feature.supported == "explicit" else "implied"
        rows = [*_origin_rows(feature.since, feature.reason)]
        usage = feature.usage
        unused = "nothing in the table" if usage.known else "not known"
        rows.append(("used by", "; ".join(usage.evidence) or unused))
        rows.append(("dropping it", " ".join(drop_sentences(feature.dropping, report.table))))
        if feature.cost is not None and feature.dropping.phase is not Phase.ABSENT:
            rows.append(("cost", COSTS[feature.cost]))
        by_word: dict[str, list[Verdict]] = {}
        for gained in feature.gains:
            word = DOES[gained.compatibility.value][gained.access.value]
            by_word.setdefault(word, []).append(gained)
        rows += [(f"then {word}", in_words(grouped(of))) for word, of in by_word.items()]
        yield from _facts(f"{feature.name} ({supported})", *rows)
    for absent in report.absent:
        fact = ("since", "no version in the log supports it")
        if absent.since is not None:
            fact = ("no longer since", _when(absent.since))
        yield from _facts(f"{absent.name} (not supported)", fact)


def _facts(title: str, *rows: tuple[str, str]) -> Iterator[Block]:
    yield Heading(title)
    yield Table(title, (), rows)


def _origin_rows(since: Origin, reason: Reason) -> Iterator[tuple[str, str]]:
    yield "since", _when(since)
    prefixed = {Cause.REQUESTED, Cause.ACTIVATED, Cause.DEFAULT, Cause.UNKNOWN}
    cause = "not known" if reason.cause is Cause.UNKNOWN else reason.cause.value
    prefix = f"{cause}: " if reason.cause in prefixed else ""
    yield "because", f"{prefix}{'; '.join(reason.because)}"


def _when(since: Origin) -> str:
    if since.at_or_before:
        return f"at or before version {since.version} ({moment(since.timestamp)})"
    user = f"by {since.user}" if since.user else ""
    engine = f"({since.engine})" if since.engine else ""
    origin = " ".join(filter(None, (since.operation, user, engine)))
    return f"version {since.version}, {moment(since.timestamp)}{': ' if origin else ''}{origin}"


# One client and one table


@dataclass(frozen=True)
class Use:
    """What the client does with the table, and the plan after which it works, or why none does."""

    verdict: Verdict
    command: str = ""
    way: Plan | None = None
    dead_end: str = ""


@dataclass(frozen=True, kw_only=True)
class ForClientReport:
    """The result of `inspect --for-client` for the table that the user calls `table`."""

    table: str
    version: int
    release: ClientRelease
    read: Use
    write: Use
    damage: tuple[str, ...] = ()

    document = "for_client"
    blocks = "deltaadm.reports.why.show_for_client"


def can_use(release: ClientRelease, snapshot: Snapshot) -> bool:
    """Whether *release* both reads and writes the table rightly."""
    judged = _judged((release,), snapshot)
    return all(each.compatibility is Compatibility.WORKS for each in judged)


def for_client(
    table: str,
    snapshot: Snapshot,
    release: ClientRelease,
    history_of: Callable[[str], FeatureHistory],
    *,
    now: int,
    session: SessionSettings | None = None,
) -> ForClientReport:
    """The report on *snapshot*, whose files price the plans, at *now* in milliseconds."""

    def use(judged: Verdict) -> Use:
        if judged.compatibility is Compatibility.WORKS:
            return Use(judged)
        goal = Goal(release, judged.access)
        try:
            way = plan_for_clients(snapshot, history_of, [goal], now=now, session=session)
        except DeltaadmError as error:
            if first := re.search("deltaadm [a-z-]+ TABLE[^`]*", error.remedy):
                return Use(judged, advice_for(table, first[0]))
            return Use(judged, dead_end=error.message.rstrip("."))
        return Use(judged, f"deltaadm upgrade-protocol {quoted_argument(table)} {goal.option}", way)

    read, write = map(use, _judged((release,), snapshot))
    return ForClientReport(
        table=table,
        version=snapshot.version,
        release=release,
        read=read,
        write=write,
        damage=damages(snapshot),
    )


_USE: Final = record(
    **within("verdict", JUDGEMENT),
    command=(maybe(str), lambda use: use.command or None),
    cost=(maybe(one_of(Cost)), lambda use: use.way and use.way.cost),
    obstacle=(maybe(str), lambda use: use.dead_end or None),
)
FOR_CLIENT_DOCUMENT: Final = Document.of(
    "The output of `inspect --for-client` for a table",
    table=str,
    version=COUNT,
    client=(str, lambda report: report.release.client.id),
    release=(str, lambda report: report.release.version),
    read=_USE,
    write=_USE,
    damage=STRINGS,
)


def show_for_client(report: ForClientReport) -> Iterator[Block]:
    """The verdict, the reason, the command that changes it and its price, in a few lines."""
    tone = "good" if report.read.verdict.compatibility is Compatibility.WORKS else "error"
    title = f"{report.release}: {report.table} (version {report.version})"
    yield Heading(title, level=1, tone=tone)
    reading, writing = [*_rows("read", report.read)], [*_rows("write", report.write)]
    # What makes it readable mostly makes it writable, too: one command is enough.
    shows_writing = report.read.verdict.compatibility is Compatibility.WORKS
    if not shows_writing:
        writing = writing[:1]
    rows = [*reading, *writing]
    sources = dict.fromkeys(
        f"{cell.source.title}, {cell.source.date}"
        for use in (report.read, report.write)
        for cell in use.verdict.responsible
        if cell.source is not None
    )
    if sources:
        rows.append(("source", next(iter(sources))))
    rows += [("damage", sentence) for sentence in report.damage]
    yield Table("", (), tuple(rows))
    commands = (report.read.command, report.write.command if shows_writing else "")
    for command in dict.fromkeys(filter(None, commands)):
        yield Command(command, label="To do")


def _rows(access: str, use: Use) -> Iterator[tuple[str, str]]:
    answer = _ANSWERS[use.verdict.compatibility]
    reasons = "; ".join(
        f"{cell.subject} ({cell.note.rstrip('.')})" if cell.note else cell.subject
        for cell in use.verdict.responsible
    )
    yield access, f"{answer}{': ' if reasons else ''}{reasons}"
    if use.dead_end:
        yield "to do", use.dead_end
    if use.way is None:
        return
    price = cost_text(use.way.cost, truncates=bool(use.way.irreversible), work=use.way.work)
    before, after = (
        state.protocol.supported_features | state.protocol.explicit_names
        for state in (use.way.before, use.way.after)
    )
    changes = (("drops", before - after), ("adds", after - before))
    words = (f"{verb} {', '.join(sorted(names))}" for verb, names in changes if names)
    yield "price", "; ".join((price, *words))


_ANSWERS: Final = {
    Compatibility.WORKS: "yes",
    Compatibility.FAILS_LOUDLY: "no",
    Compatibility.SILENTLY_WRONG: "yes, with wrong data and without an error",
    Compatibility.UNKNOWN: "no source says; assume that it cannot",
}
