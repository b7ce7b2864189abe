"""Hosted services; where they have no releases, their versions are days."""

from __future__ import annotations

from typing import Final

from deltaadm.clients.facts import Client, Gate, Source, works

_SNOWFLAKE: Final = Source(
    "docs.snowflake.com, Mar 02, 2026: Query Delta-based Apache Iceberg tables with deletion "
    "vectors",
    "2026-03-02",
)

SNOWFLAKE: Final = Client(
    id="snowflake",
    name="Snowflake (Iceberg tables from Delta files)",
    versioned_by="days",
    oldest="2026-01-01",
    newest="2026-03-02",
    read_gates=(
        Gate(2, _SNOWFLAKE, until="2026-03-02"),
        Gate(3, _SNOWFLAKE, since="2026-03-02"),
    ),
    reads=(works("deletionVectors", _SNOWFLAKE, since="2026-03-02"),),
)

SERVICES: Final = (SNOWFLAKE,)
