"""Libraries that programs without Spark read and write Delta tables with."""

from __future__ import annotations

from typing import Final

from deltaadm.clients.facts import Client, Gate, Source, fails, works

_KERNEL_RS: Final = Source(
    "delta-io/delta-kernel-rs kernel/src/table_features/mod.rs, crate delta_kernel 0.30.1",
    "2026-11-21",
)

DELTA_KERNEL_RS: Final = Client(
    id="delta-kernel-rs",
    name="Delta Kernel for Rust",
    versioned_by="releases of the crate delta_kernel",
    oldest="0.30",
    newest="0.30.1",
    read_gates=(Gate(3, _KERNEL_RS),),
    reads=(
        works("columnMapping deletionVectors timestampNtz timestampWithoutTimezone", _KERNEL_RS),
        works("typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck", _KERNEL_RS),
        works("variantType variantType-preview", _KERNEL_RS),
        works("variantShredding variantShredding-preview", _KERNEL_RS),
        works("catalogManaged catalogOwned-preview", _KERNEL_RS),
        fails("*", _KERNEL_RS),
    ),
    write_gates=(Gate(7, _KERNEL_RS),),
    writes=(
        works("appendOnly invariants changeDataFeed columnMapping deletionVectors", _KERNEL_RS),
        works("timestampNtz timestampWithoutTimezone", _KERNEL_RS),
        works("typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck", _KERNEL_RS),
        works("variantType variantType-preview", _KERNEL_RS),
        works("variantShredding variantShredding-preview", _KERNEL_RS),
        works("catalogManaged catalogOwned-preview inCommitTimestamp rowTracking", _KERNEL_RS),
        works("domainMetadata clustering allowColumnDefaults", _KERNEL_RS),
        works("icebergCompatV2 icebergCompatV3 materializePartitionColumns", _KERNEL_RS),
        fails("invariants", _KERNEL_RS, active=True, note="only tables without invariants"),
        fails("*", _KERNEL_RS),
    ),
)

LIBRARIES: Final = (DELTA_KERNEL_RS,)
