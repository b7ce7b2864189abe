"""Fixtures for every test."""

import pytest

from tests.support import oracle


@pytest.fixture(scope="session")
def oracle_tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, oracle.OracleTable]:
    """The recorded tables, extracted once; do not write to them."""
    root = tmp_path_factory.mktemp("oracle")
    return {table.name: table for table in oracle.tables(root)}
