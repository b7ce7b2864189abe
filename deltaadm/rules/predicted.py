"""Findings on a snapshot alone: without its log, its files and the clock."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from itertools import count
from typing import Final

from deltaadm.dataclass import replace
from deltaadm.domain.properties import Key
from deltaadm.domain.schema import Path
from deltaadm.domain.snapshot import LogListing, Snapshot
from deltaadm.domain.transaction.columns import clustering_columns, with_clustering
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT
from deltaadm.facts import SnapshotFacts
from deltaadm.rules.rule import RULES, Finding, RuleRunner, RuleSet, Scope


def snapshot_findings(
    snapshot: Snapshot, earlier_names: Mapping[Path, Path] | None = None
) -> tuple[Finding, ...]:
    """
    Return the findings on protocol, metadata and domains of *snapshot*, which may be predicted.

    What only the commit can choose counts as well chosen. *earlier_names* are those of columns by
    physical paths, as in `SnapshotFacts`.
    """
    runner = RuleRunner(_rules(), limit=None)
    runner.check(
        SnapshotFacts(
            snapshot=_settled(snapshot),
            totals=None,
            listing=LogListing.of(snapshot.root, {}),
            earlier_names=earlier_names or {},
            # No clock: nothing of a predicted state may count as in the future.
            now=sys.maxsize,
        )
    )
    return runner.findings


@lru_cache(maxsize=1)
def _rules() -> RuleSet:
    """The rules on the newest version, but for those on its files and its log."""
    from deltaadm.rules import column_mapping, features, metadata, protocol

    modules = (column_mapping, features, metadata, protocol)
    topics = {module.__name__ for module in modules}
    return RuleSet(
        rule
        for rule in RULES.values()
        if rule.scope is Scope.SNAPSHOT and rule.check.__module__ in topics
    )


# What only the commit can choose

_CHOSEN: Final = "chosen-by-the-commit"
"""Stands for a random name: no table has a column of this name already."""


def _settled(snapshot: Snapshot) -> Snapshot:
    """*snapshot*, with a value that Delta could choose wherever it has not chosen yet."""
    metadata = snapshot.metadata
    text = metadata.schema_string
    unnamed = text is not None and KNOWN_AFTER_COMMIT in text
    pending = any(KNOWN_AFTER_COMMIT in value for value in metadata.configuration.values())
    if metadata.id == KNOWN_AFTER_COMMIT:
        metadata = replace(metadata, created_time=0)
        snapshot = replace(snapshot, metadata=metadata)
    if not (unnamed or pending):
        return snapshot
    configuration = dict(metadata.configuration)
    for key, value in configuration.items():
        chosen = "0" if key == Key.ICT_ENABLEMENT_TIMESTAMP else _CHOSEN
        if KNOWN_AFTER_COMMIT in value:
            is_version = key in (Key.ICT_ENABLEMENT_VERSION, Key.PROTECTED_BEFORE)
            settled_value = value.replace(KNOWN_AFTER_COMMIT, chosen)
            configuration[key] = str(snapshot.version) if is_version else settled_value
    settled = metadata.with_configuration(configuration)
    if text is None or not unnamed:
        return replace(snapshot, metadata=settled)
    head, *rest = text.split(KNOWN_AFTER_COMMIT)
    named = head + "".join(
        # Numbered, since two columns of one physical name would be a finding.
        f"{_CHOSEN}-{number}{part}"
        for number, part in zip(count(1), rest, strict=False)
    )
    after = replace(snapshot, metadata=replace(settled, schema_string=named))
    columns = clustering_columns(snapshot)
    return with_clustering(after, columns) if columns else after
