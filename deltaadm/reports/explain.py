"""`rules` and `explain`: rules, error classes of Delta, and messages of other engines."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from deltaadm.blocks import Block, Either, Heading, Items, Paragraph, Prose, Table
from deltaadm.clients import ALIASES, CLIENTS
from deltaadm.dataclass import dataclass, text_beside
from deltaadm.documents import Document
from deltaadm.domain.features import FEATURES, TableFeature
from deltaadm.errors import RefusedError, UnknownNameError, did_you_mean
from deltaadm.json_values import STRINGS, Fields, array, name_of, one_of, record, within
from deltaadm.reports.catalogues import (
    ClientExplanation,
    FeatureExplanation,
    explain_client,
    explain_feature,
)
from deltaadm.reports.validate import choose_rules, code_prefix, require_prefix, similar_code
from deltaadm.rules.rule import RULES, Rule, Scope, Severity

# Error classes of Delta


class ErrorClass(NamedTuple):
    """An error class: its meaning, and the subcommands that explain or avoid it."""

    name: str
    meaning: str
    commands: tuple[str, ...]


@cache
def error_classes() -> Mapping[str, ErrorClass]:
    """
    The classes by their names, in alphabetical order; `CLASS.SUB` is explained as its class.

    `error_classes.txt` has for each its name, subcommands after a colon, and indented its meaning.
    """
    text = text_beside(__name__, "error_classes.txt")
    found = {}
    for entry in re.split(r"\n(?=\w)", re.sub(r"(?m)^(#.*)?\n", "", text)):
        title, *meaning = map(str.strip, entry.splitlines())
        name, _, commands = title.partition(":")
        found[name] = ErrorClass(name, " ".join(meaning), tuple(re.findall(r"[\w-]+", commands)))
    return dict(sorted(found.items()))


# Messages of engines: the feature or the damage that they mean


class _Known(NamedTuple):
    client: str
    text: str
    words: tuple[str, ...]  # which the message always has, in lower case, the longest first
    pattern: re.Pattern[str]
    feature: str  # which the message means without naming it
    rules: tuple[str, ...]
    commands: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class EngineMessage:
    """
    What a message of an engine means.

    `message` is its text with "…" for what differs; the features are those that it names or
    means, by their names in the protocol; `commands` are what helps, for this client and feature.
    """

    client: str
    message: str
    meaning: str
    features: tuple[str, ...]
    unknown_features: tuple[str, ...]
    commands: tuple[str, ...]
    rules: tuple[Rule, ...]

    document = "engine_message"
    blocks = "deltaadm.reports.explain.show_engine_message"


_OTHER_NAMES: Final = {
    "timestampwithouttimezone": "timestampNtz",
    "timestamp_ntz": "timestampNtz",
    "columndefaults": "allowColumnDefaults",
    "changedata": "changeDataFeed",
    "variant": "variantType",
    "geometry": "geospatial",
    "geography": "geospatial",
    "sidecar": "v2Checkpoint",
    "checkpointmetadata": "v2Checkpoint",
}
"""How engines call features, besides their names in any case, and what needs one of them."""

_PLACES: Final = {
    "{features}": r"(?P<features>[^\n]{1,300}?)",
    "{type}": r"(?P<type>\w+)",
    "{version}": r"\d+",
    "{}": r"[^\n]*?",
}

_HOSTS: Final = {
    "athena": ("trino", r"(?i:athena)"),
    "clickhouse": ("delta-kernel-rs", r"DB::Exception"),
    "delta-sharing-server": ("flink", r"'errorCode'|io\.delta\.sharing\.server"),
    "duckdb-delta": ("delta-kernel-rs", r"Delta?Kernel |(?i:duckdb)"),
    "hive": ("flink", r"org\.apache\.hadoop\.hive"),
    "polars": ("delta-rs", r"polars/io/delta"),
    "presto": ("flink", r"com\.facebook\.presto"),
    "starrocks": ("delta-kernel-java", r"com\.starrocks"),
}
"""Clients that show messages of a library, and how a text is recognised as theirs."""


@cache
def known_messages() -> tuple[_Known, ...]:
    """The messages of `engine_messages.txt`, in its order."""
    text = text_beside(__name__, "engine_messages.txt")
    known = []
    for topic in re.split(r"\n\n+", re.sub(r"(?m)^#.*\n", "", text).strip()):
        title, *lines = topic.splitlines()
        rules, _, commands = title.partition(":")
        meaning = " ".join(line.strip() for line in lines if not line.startswith("    "))
        steps = tuple(command.strip() for command in commands.split(";"))
        topic_says = tuple(rules.split()), steps, meaning
        for line in (line for line in lines if line.startswith("    ")):
            client, _, message = line.strip().partition(": ")
            said, _, feature = message.partition(" :: ")
            parts = re.split(r"(\{(?:features|type|version)?\})", said)
            regex = "".join(
                _PLACES.get(part) or r"\s+".join(map(re.escape, re.split(r"\s+", part)))
                for part in parts
            )
            if said.endswith("{features}"):  # which goes on to the end of the sentence or line
                regex += r"(?=\.?\s*$|\.\s|[\](\n])"
            words = sorted(" ".join(parts[::2]).lower().split(), key=len, reverse=True)
            pattern = re.compile(r"(?<!\w)" + regex, re.MULTILINE | re.IGNORECASE)
            known.append(_Known(client, said, tuple(words), pattern, feature, *topic_says))
    return tuple(known)


def find_messages(text: str) -> Iterator[tuple[re.Match[str], EngineMessage]]:
    """Where *text*, which may be a stack trace, has known messages, and their meaning."""
    lower = text.lower()
    for known in known_messages():
        if all(word in lower for word in known.words):  # much faster than the pattern
            for match in known.pattern.finditer(text):
                yield match, _meaning(known, match)


def _meaning(known: _Known, match: re.Match[str]) -> EngineMessage:
    groups = match.groupdict()
    named = groups.get("features") or groups.get("type") or known.feature
    words = (word.strip(" \t\r'`\"[](){}.") for word in re.split(r"[,;]| and ", named))
    names: dict[str, str | None] = {}
    for word in filter(None, words):
        name = word.replace(" ", "")
        feature = TableFeature.meant_by(_OTHER_NAMES.get(name.lower(), name))
        names[word] = feature.name if feature else None
    features = tuple(dict.fromkeys(name for name in names.values() if name))
    hosts = (
        host
        for host, (library, mark) in _HOSTS.items()
        if library == known.client and re.search(mark, match.string)
    )
    client = next(hosts, known.client)
    places = {
        "client": client if client in CLIENTS else "",
        "feature": features[0] if features else "",
    }
    return EngineMessage(
        client=client,
        message=re.sub(r"\{\w*\}", "…", known.text),
        meaning=known.meaning,
        features=features,
        unknown_features=tuple(
            word for word, name in names.items() if not name and "type" not in groups
        ),
        commands=tuple(
            command.format_map(places)
            for command in known.commands
            if all(value for place, value in places.items() if f"{{{place}}}" in command)
        ),
        rules=tuple(RULES[code] for code in known.rules),
    )


# Explanations


@dataclass(frozen=True)
class RuleCatalogue:
    """Rules of `validate`, in the order of their codes."""

    rules: tuple[Rule, ...]

    document = "rules"
    blocks = "deltaadm.reports.explain.show_rules"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that `-o name` prints."""
        return tuple(rule.code for rule in self.rules)


@dataclass(frozen=True)
class RuleExplanation:
    """One rule with its documentation."""

    rule: Rule

    document = "rule"
    blocks = "deltaadm.reports.explain.show_rule"


@dataclass(frozen=True)
class ErrorClassExplanation:
    """An error class of Delta, with the rules that find what leads to it."""

    error_class: ErrorClass
    rules: tuple[Rule, ...]
    features: tuple[str, ...]  # that the message names

    document = "error_class"
    blocks = "deltaadm.reports.explain.show_error_class"


Explanation = (
    RuleExplanation | FeatureExplanation | ErrorClassExplanation | EngineMessage | ClientExplanation
)


def list_rules(families: Iterable[str] = ()) -> RuleCatalogue:
    """The rules of *families*, or all; raises `RefusedError` with a suggestion for no family."""
    return RuleCatalogue(tuple(choose_rules([*map(require_prefix, families)])))


def explain(word: str) -> Explanation:
    """
    Explain *word*: a rule by its code or name, a table feature, or an error class of Delta.

    A client as well, and a property that activates a feature, which stands for that. An error may
    be given as an engine says it, even with a stack trace around it. Raises `RefusedError` with a
    suggestion for anything else.
    """
    if len(word.split()) > 1:
        return explain_message(word)
    name = word.strip().removeprefix("[").partition("]")[0]
    prefix = code_prefix(name)
    if prefix in RULES:
        return RuleExplanation(RULES[prefix])
    feature = TableFeature.meant_by(name)
    if feature is not None:
        return explain_feature(feature.name)
    if name.partition("@")[0].lower() in {*CLIENTS, *ALIASES}:
        return explain_client(name)
    error_class = error_classes().get(name.upper().partition(".")[0])
    if error_class is not None:
        return _explain_error_class(error_class)
    rules = [*RULES, *(rule.name for rule in RULES.values())]
    known = [*rules, *FEATURES, *error_classes(), *CLIENTS, *ALIASES]
    raise UnknownNameError(
        f"There is no rule, table feature, client or error class named {word!r}.",
        remedy=(similar_code(name) if re.match(r"(?i)DL\d", name) else did_you_mean(name, known))
        or "`deltaadm rules` and `deltaadm features` list the rules and the features.",
    )


def explain_message(text: str) -> ErrorClassExplanation | EngineMessage:
    """
    What an engine means by *text*: of several causes in a stack trace, the one nearest to its root.

    Raises `RefusedError` if no known message is part of it.
    """
    text = text.replace("\\n", "\n").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    inner, outer = ([match.start() for match in re.finditer(cause, text)] for cause in _CAUSES)

    def depth(match: re.Match[str]) -> tuple[int, int]:
        return bisect(inner, match.start()) - bisect(outer, match.start()), match.start()

    known: list[tuple[re.Match[str], ErrorClassExplanation | EngineMessage]]
    known = [
        (match, _explain_error_class(error_classes()[match[1]], match[2]))
        for match in re.finditer(r"(?:\[|\b(?=DELTA_))([A-Z][A-Z0-9_]+)(.*)", text)
        if match[1] in error_classes()
    ]
    known += find_messages(text)
    for match, meaning in sorted(known, key=lambda found: depth(found[0]), reverse=True):
        if not any(other.start() < match.start() < other.end() for other, _ in known):
            return meaning
    raise RefusedError(
        "No message that deltaadm knows is part of this text.",
        remedy="`deltaadm validate TABLE` says what is wrong with the table itself; "
        "`deltaadm inspect TABLE --for-client CLIENT` says what a client cannot do with it.",
    )


_CAUSES: Final = ("Caused by:", "the direct cause of the following|another exception occurred")
"""What comes before a cause nearer to the root, in Java, and farther from it, in Python."""


def _explain_error_class(error_class: ErrorClass, message: str = "") -> ErrorClassExplanation:
    names = re.findall(r"[\w.-]*[a-z][A-Z][\w-]*", message)
    if listed := re.search(r": ([\w.-]+(?:, [\w.-]+)*?)\.?\s*$", message):
        names += listed[1].rstrip(".").split(", ")
    features = [feature.name for name in names if (feature := TableFeature.meant_by(name))]
    return ErrorClassExplanation(error_class, rules_on(error_class), tuple(dict.fromkeys(features)))


def rules_on(error_class: ErrorClass) -> tuple[Rule, ...]:
    """The rules whose documentation names *error_class*, perhaps across two lines, as a source."""

    def names(rule: Rule) -> bool:
        text = rule.doc.replace("_\n", "_").replace("\n", " ")
        words = (word.strip(".,;:()`").partition(".")[0] for word in text.split())
        return error_class.name in text and error_class.name in words

    return tuple(filter(names, choose_rules()))


RULE: Final[Fields] = {
    "code": str,
    "name": str,
    "severity": one_of(Severity),
    "scope": name_of(Scope),
    "summary": str,
    "why_it_matters": (str, lambda rule: rule.section("Why it matters")),
    "remedy": (str, lambda rule: rule.advice),
    "source": (str, lambda rule: rule.section("Source")),
}
"""The parts of a rule."""

RULE_DOCUMENT: Final = Document.of(
    "The output of `explain` for a rule",
    **within("rule", RULE),
    documentation=(str, lambda report: report.rule.doc),
)


RULES_DOCUMENT: Final = Document.of("The output of `rules`", rules=array(record(**RULE)))


ERROR_CLASS_DOCUMENT: Final = Document.of(
    "The output of `explain` for a Delta error class",
    delta_error_class=(str, lambda report: report.error_class.name),
    meaning=(str, lambda report: report.error_class.meaning),
    features=STRINGS,
    commands=(STRINGS, lambda report: report.error_class.commands),
    rules=array(record(**RULE)),
)


ENGINE_MESSAGE_DOCUMENT: Final = Document.of(
    "The output of `explain` for a message of another engine",
    client=str,
    message=str,
    meaning=str,
    features=STRINGS,
    unknown_features=STRINGS,
    commands=STRINGS,
    rules=array(record(**RULE)),
)


def show_rules(report: RuleCatalogue) -> Iterator[Block]:
    """The table of rules."""
    yield Either([Heading("Rules", level=1)])
    rows = ((rule.code, rule.severity.value, rule.name, rule.summary) for rule in report.rules)
    yield Table("Rules", ("code", "severity", "name", "what it finds"), tuple(rows), plain=True)


def show_rule(report: RuleExplanation) -> Iterator[Block]:
    """The documentation of a rule."""
    rule = report.rule
    yield Heading(f"{rule.code} {rule.name} ({rule.severity.value})", level=1)
    for paragraph in rule.doc.split("\n\n"):
        yield Prose(" ".join(paragraph.split()))


def show_error_class(report: ErrorClassExplanation) -> Iterator[Block]:
    """The meaning of an error class, and the rules that find its causes."""
    error_class = report.error_class
    yield Heading(error_class.name, level=1)
    yield Paragraph(error_class.meaning, nested=True)
    yield from _what_helps(error_class.commands, report)


def show_engine_message(report: EngineMessage) -> Iterator[Block]:
    """The meaning of a message, the features that it names, and what helps."""
    yield Heading(f"{report.client}: {report.message}", level=1)
    yield Paragraph(report.meaning, nested=True)
    if report.unknown_features:
        yield Paragraph(f"deltaadm does not know {', '.join(report.unknown_features)}.")
    yield from _what_helps(report.commands, report)


def _what_helps(
    commands: Iterable[str], report: ErrorClassExplanation | EngineMessage
) -> Iterator[Block]:
    lines = [*commands, *(f"explain {name}" for name in report.features)]
    if lines:
        yield Heading("Related commands")
        complete = ("clients", "doctor", "features")
        ends = ("" if line in complete or " " in line else " TABLE" for line in lines)
        yield Items(tuple(f"deltaadm {line}{end}" for line, end in zip(lines, ends, strict=True)))
    if report.rules:
        title = "Rules that find its causes"
        rows = tuple((rule.code, rule.name) for rule in report.rules)
        yield Heading(title)
        yield Table(title, ("code", "name"), rows, plain=True)
