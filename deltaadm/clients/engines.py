"""Query engines."""

from __future__ import annotations

from typing import Final

from deltaadm.clients.facts import Client, Gate, Source, fails, works

_TRINO_FEATURES: Final = Source(
    "trinodb/trino plugin/trino-delta-lake/src/main/java/io/trino/plugin/deltalake/"
    "transactionlog/DeltaLakeTableFeatures.java",
    "2026-11-21",
)
_TRINO_METADATA: Final = Source(
    "trinodb/trino plugin/trino-delta-lake/src/main/java/io/trino/plugin/deltalake/"
    "DeltaLakeMetadata.java",
    "2026-11-21",
)
_HIDDEN: Final = "the table is not found"

TRINO: Final = Client(
    id="trino",
    name="Trino",
    versioned_by="releases of Trino",
    oldest="480",
    newest="480",
    read_gates=(Gate(3, _TRINO_METADATA, note=_HIDDEN),),
    reads=(
        works("columnMapping deletionVectors timestampNtz v2Checkpoint", _TRINO_FEATURES),
        works("typeWidening typeWidening-preview vacuumProtocolCheck", _TRINO_FEATURES),
        works("variantType variantType-preview", _TRINO_FEATURES),
        fails("*", _TRINO_METADATA, note=_HIDDEN),
    ),
    write_gates=(Gate(7, _TRINO_METADATA),),
    writes=(
        works("appendOnly invariants checkConstraints changeDataFeed", _TRINO_FEATURES),
        works("columnMapping deletionVectors timestampNtz vacuumProtocolCheck", _TRINO_FEATURES),
        fails("*", _TRINO_METADATA),
    ),
)

ENGINES: Final = (TRINO,)
