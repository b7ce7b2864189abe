"""Fleets that have drifted from their policy in every way, and have no files to rewrite."""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.support import tables
from tests.support.tables import Action, column, commit, commit_info, domain, metadata, protocol

SETTINGS = """
[policy]
max-reader-version = 3
max-writer-version = 7

[policy.properties]
"delta.logRetentionDuration" = { min = "7 days", max = "60 days" }
"delta.appendOnly" = false
"delta.feature.appendOnly" = "supported"
"team" = ["web", "data"]

[[tables]]
pattern = "*/modern/*"
[tables.policy]
required-features = ["vacuumProtocolCheck", "inCommitTimestamp"]
forbidden-features = ["rowTracking", "typeWidening", "v2Checkpoint", "checkConstraints",
  "timestampNtz", "identityColumns", "domainMetadata"]
mapping-modes = ["name"]
properties = { "delta.enableDeletionVectors" = true, "delta.enableInCommitTimestamps" = true }

[[tables]]
pattern = "*/legacy/*"
clients = ["delta-spark@2.0.0"]
[tables.policy]
max-reader-version = 1
max-writer-version = 4
mapping-modes = ["none"]

[[tables]]
pattern = "*/shared/*"
clients = ["athena", "hive"]
writers = ["delta-spark@3.1.0"]
[tables.policy]
forbidden-features = ["typeWidening"]
mapping-modes = ["none"]
properties = { "delta.checkpointPolicy" = "classic" }
"""
GROUPS = ("modern", "legacy", "shared")


class Drift(NamedTuple):
    """What somebody has done to a table: features, properties, columns and domains."""

    readers: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    properties: Mapping[str, str] = MappingProxyType({})
    column: Any = None
    domain: Action | None = None


MAPPING = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "9"}
CLUSTERING = json.dumps({"clusteringColumns": [["a"]], "domainName": "delta.clustering"})
IDENTITY = {
    "delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": True,
}  # fmt: skip
DRIFTS: dict[str, Drift] = {
    "deletion vectors": Drift(("deletionVectors",), (), {"delta.enableDeletionVectors": "true"}),
    "vectors that are off": Drift(("deletionVectors",)),
    "V2 checkpoints": Drift(("v2Checkpoint",), (), {"delta.checkpointPolicy": "v2"}),
    "widening": Drift(("typeWidening",), (), {"delta.enableTypeWidening": "true"}),
    "row ids": Drift((), ("rowTracking", "domainMetadata"), {
        "delta.enableRowTracking": "true",
        "delta.rowTracking.materializedRowIdColumnName": "_row-id",
        "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version",
    }),
    "clustering": Drift((), ("clustering", "domainMetadata"),
        domain=domain("delta.clustering", CLUSTERING)),
    "a domain": Drift((), ("domainMetadata",), domain=domain("mine")),
    "timestamps": Drift((), ("inCommitTimestamp",)),
    "mapping": Drift(("columnMapping",), (), MAPPING),
    "Iceberg": Drift(("columnMapping",), ("icebergCompatV1",),
        MAPPING | {"delta.enableIcebergCompatV1": "true"}),
    "a constraint": Drift((), ("checkConstraints",), {"delta.constraints.small": "a < 9"}),
    "changes": Drift((), ("changeDataFeed",), {"delta.enableChangeDataFeed": "true"}),
    "a type": Drift(("timestampNtz",), column=column("t", "timestamp_ntz")),
    "identity": Drift((), ("identityColumns",), column=column("i", "long", **IDENTITY)),
    "long retention": Drift(properties={"delta.logRetentionDuration": "interval 90 days"}),
    "short retention": Drift(properties={"delta.logRetentionDuration": "interval 1 days"}),
    "append only": Drift(properties={"delta.appendOnly": "true"}),
    "owner": Drift(properties={"team": "nobody"}),
    "odd interval": Drift(properties={"delta.deletedFileRetentionDuration": "2 weeks"}),
    "long vacuum": Drift(properties={"delta.deletedFileRetentionDuration": "interval 2 weeks"}),
    "protocol property": Drift(properties={"delta.feature.vacuumProtocolCheck": "supported"}),
}  # fmt: skip
"""By what they are called; all rules on policies are broken by some."""
ALONE = [(name, group) for name in DRIFTS for group in GROUPS]

TWO_RUNS = {"DL901", "DL902", "DL907"}
LEFT: dict[tuple[str, str], set[str]] = {
    ("deletion vectors", "legacy"): TWO_RUNS,
    ("deletion vectors", "shared"): {"DL907"},
    ("V2 checkpoints", "legacy"): TWO_RUNS,
    ("V2 checkpoints", "shared"): {"DL907"},
    ("mapping", "legacy"): {"DL901", "DL902"},
    ("mapping", "shared"): {"DL907"},
    ("clustering", "legacy"): {"DL902"},
    ("clustering", "modern"): {"DL904"},
    ("Iceberg", "legacy"): {"DL901", "DL902"},
    ("Iceberg", "modern"): {"DL906"},
    ("Iceberg", "shared"): {"DL907"},
    ("a type", "legacy"): {"DL901", "DL902", "DL907"},
    ("a type", "modern"): {"DL904"},
    ("a type", "shared"): {"DL907"},
    ("identity", "legacy"): {"DL902"},
    ("identity", "modern"): {"DL904"},
    ("identity", "shared"): {"DL908"},
}
"""The errors that one drift alone leaves after a run: history has to expire, or nothing helps."""


def drifted(root: Path, number: int, drifts: tuple[str, ...]) -> Path:
    """A table with these *drifts*; those at legacy versions list no feature."""
    chosen = [DRIFTS[name] for name in drifts]
    readers = {name for drift in chosen for name in drift.readers}
    writers = {name for drift in chosen for name in drift.writers} | readers
    stored = {key: value for drift in chosen for key, value in drift.properties.items()}
    columns = [column("a"), *(dict(drift.column) for drift in chosen if drift.column)]
    if "delta.columnMapping.mode" in stored:
        for column_id, each in enumerate(columns, 1):
            place = {
                "delta.columnMapping.id": column_id,
                "delta.columnMapping.physicalName": f"p{column_id}",
            }
            each["metadata"] = each["metadata"] | place
    legacy = {frozenset(): (1, 2), frozenset({"columnMapping"}): (2, 5),
        frozenset({"checkConstraints"}): (1, 3), frozenset({"changeDataFeed"}): (1, 4)}  # fmt: skip
    if versions := legacy.get(frozenset(writers)):
        start = protocol(*versions)
    else:
        listed = sorted(writers | {"appendOnly", "invariants"})
        start = protocol(3 if readers else 1, 7, sorted(readers) if readers else None, listed)
    body = metadata(stored, schemaString=tables.schema(*columns), id=f"table-{number}")
    domains = [drift.domain for drift in chosen if drift.domain]
    if "clustering" in drifts and "delta.columnMapping.mode" in stored:
        named = CLUSTERING.replace('"a"', '"p1"')  # clustering has physical names
        domains = [each for each in domains if each != DRIFTS["clustering"].domain]
        domains.append(domain("delta.clustering", named))
    place = root / GROUPS[number % len(GROUPS)] / f"t{number:04}"
    return tables.table(place, commit(commit_info(), start, body, *domains)).path


def fleet(root: Path, size: int) -> list[Path]:
    """So many tables: every drift alone in every group, and then up to three at random."""
    alone = [(name,) for name, _ in ALONE]
    chance = random.Random(size)  # noqa: S311 -- the same fleet again for the same size
    more = range(size - len(alone))
    some = [tuple(chance.sample([*DRIFTS], chance.randint(0, 3))) for _ in more]
    return [drifted(root, number, drifts) for number, drifts in enumerate([*alone, *some])]
