# ruff: noqa: INP001 -- a script, not a package
"""Print docs/features.md: everything that the registry of table features knows, as a page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deltaadm.domain.model.features import FEATURES, Status, undo_feature
from deltaadm.operations.features import explain_feature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deltaadm.domain.model.features import TableFeature

INTRODUCTION = """\
# Table features

<!-- Written by `python3 dev.py docs` from deltaadm/domain/model/features.py; do not edit. -->

Every table feature that deltaadm knows. `deltaadm features` prints the same list,
`deltaadm features deletionVectors` explains one, and `-o json` gives both to programs. A feature
that is not here does no harm: `inspect` reports it by its name, and no command loses it.

- **concerns**: a *writer* feature must be known to writers only, a *reader-writer* feature to
  readers as well.
- **implied by**: the protocol versions, reader and writer, that imply the feature without naming
  it. All other features must be listed in the protocol.
- **activated by**: the table property that makes a supported feature active. Where there is none,
  the schema or a constraint does, or support is enough.
- **status**: *stable*, *preview*, *rfc* (proposed to the protocol), *other clients* (Delta Spark
  4.4.0 does not know it), *test only*.
"""


def page() -> str:
    """The whole page."""
    features = tuple(FEATURES.values())
    parts = [INTRODUCTION, "\n".join(_table(features)), *map(_section, features)]
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _table(features: Iterable[TableFeature]) -> Iterator[str]:
    yield "| feature | concerns | implied by | status | activated by |"
    yield "|---|---|---|---|---|"
    for one in features:
        legacy = f"{one.legacy[0] or 1}, {one.legacy[1]}" if one.legacy else ""
        properties = ", ".join(f"`{k}={v}`" for k, v in one.activation.properties.items())
        cells = (_link(one.name), one.kind.value, legacy, one.status.value, properties)
        yield f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


def _section(feature: TableFeature) -> str:
    rows = "\n".join(f"- {what}: {text}" for what, text in _facts(feature))
    caution = f"\n\n{feature.caution}" if feature.caution else ""
    return f"## {feature.name}\n\n{rows}{caution}\n"


def _facts(feature: TableFeature) -> Iterator[tuple[str, str]]:
    yield "concerns", "writers and readers" if feature.is_reader else "writers only"
    since = f", since Delta Spark {feature.since}" if feature.since else ""
    yield "status", feature.status.value + since
    if feature.legacy:
        reader, writer = feature.legacy
        yield "implied by", f"reader version {reader or 1} with writer version {writer}"
    if feature.requires:
        yield "requires", ", ".join(map(_link, sorted(feature.requires)))
    required_by = explain_feature(feature.name).required_by
    if required_by:
        yield "required by", ", ".join(map(_link, sorted(required_by)))
    if feature.twin:
        yield "other form", _link(feature.twin)
    for key, value in feature.activation.properties.items():
        yield "activated by", f"`{key}={value}`"
    if not feature.activation.properties:
        found = feature.activation.find
        yield "activated by", "the metadata, such as its schema" if found else "being supported"
    if feature.not_addable:
        yield "existing tables", feature.not_addable
    yield "cost of enabling", feature.cost.value
    yield "undo", undo_feature(feature)
    stable = feature.status is Status.STABLE
    yield "described in", f"PROTOCOL.md, *{feature.section}*" if stable else feature.section
    if not feature.in_delta_spark:
        yield "known to", feature.source


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


if __name__ == "__main__":
    sys.stdout.write(page())
