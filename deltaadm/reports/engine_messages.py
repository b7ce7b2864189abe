"""What engines say when they refuse a table: the feature or the damage that they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from deltaadm.clients import CLIENTS
from deltaadm.dataclass import dataclass
from deltaadm.domain.features import TableFeature


class _Known(NamedTuple):
    client: str
    text: str
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
    "columndefaults": "allowColumnDefaults",
    "changedata": "changeDataFeed",
}
"""How engines call features, besides their names in any case."""

_PLACES: Final = {
    "{features}": r"(?P<features>[^\n]{1,300}?)",
    "{version}": r"\d+",
    "{}": r"[^\n]*?",
}


@cache
def _known_messages() -> tuple[_Known, ...]:
    text = Path(__file__).with_name("engine_messages.txt").read_text(encoding="utf-8")
    return tuple(
        message
        for topic in re.split(r"\n\n+", re.sub(r"(?m)^#.*\n", "", text).strip())
        for message in _messages_of(topic)
    )


def _messages_of(topic: str) -> Iterator[_Known]:
    title, *lines = topic.splitlines()
    rules, _, commands = title.partition(":")
    meaning = " ".join(line.strip() for line in lines if not line.startswith("    "))
    for line in lines:
        if line.startswith("    "):
            client, _, message = line.strip().partition(": ")
            said, _, feature = message.partition(" :: ")
            parts = re.split(r"(\{(?:features|version)?\})", said)
            regex = "".join(
                _PLACES.get(part) or r"\s+".join(map(re.escape, re.split(r"\s+", part)))
                for part in parts
            )
            if said.endswith("{features}"):  # which goes on to the end of the sentence or line
                regex += r"(?=\.?\s*$|\.\s|[\](\n])"
            steps = tuple(command.strip() for command in commands.split(";"))
            pattern = re.compile(r"(?<!\w)" + regex, re.MULTILINE)
            yield _Known(client, said, pattern, feature, tuple(rules.split()), steps, meaning)


def find_message(text: str) -> EngineMessage | None:
    """The first known message in *text*, which may be a stack trace; None if there is none."""
    for known in _known_messages():
        found = known.pattern.search(text)
        if found is not None:
            named = found.groupdict().get("features") or known.feature
            words = (word.strip(" \t\r'`\"[](){}.") for word in re.split(r"[,;]| and ", named))
            names = {word: _feature(word) for word in words if word}
            features = tuple(dict.fromkeys(name for name in names.values() if name))
            places = {"client": known.client if known.client in CLIENTS else "",
                "feature": features[0] if features else ""}  # fmt: skip
            return EngineMessage(
                client=known.client,
                message=re.sub(r"\{\w*\}", "…", known.text),
                meaning=known.meaning,
                features=features,
                unknown_features=tuple(word for word, name in names.items() if not name),
                commands=tuple(
                    command.format_map(places)
                    for command in known.commands
                    if all(value for place, value in places.items() if f"{{{place}}}" in command)
                ),
                rules=known.rules,
            )
    return None


def _feature(word: str) -> str | None:
    name = word.replace(" ", "")
    name = _OTHER_NAMES.get(name.lower(), name)
    known = TableFeature.meant_by(name)
    return known.name if known else None
