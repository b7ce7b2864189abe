"""What engines say when they refuse a table: the feature or the damage that they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Final, NamedTuple

from deltaadm.clients import CLIENTS
from deltaadm.dataclass import dataclass
from deltaadm.domain.features import TableFeature


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
    rules: tuple[str, ...]

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
    text = Path(__file__).with_name("engine_messages.txt").read_text(encoding="utf-8")
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


def find_messages(text: str) -> Iterator[tuple[re.Match[str], Callable[[], EngineMessage]]]:
    """Where *text*, which may be a stack trace, has known messages, and what says their meaning."""
    lower = text.lower()
    for known in known_messages():
        if all(word in lower for word in known.words):  # much faster than the pattern
            for match in known.pattern.finditer(text):
                yield match, partial(_meaning, known, match)


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
        rules=known.rules,
    )
