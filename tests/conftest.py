"""Fixtures for every test."""

import signal

import pytest

from tests.support import oracle


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """
    Let the programs that tests start be interrupted.

    Whoever runs the tests in the background of a shell has them ignore SIGINT, and a program
    inherits that from the one that starts it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def oracle_tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, oracle.OracleTable]:
    """The recorded tables, extracted once; do not write to them."""
    root = tmp_path_factory.mktemp("oracle")
    return {table.name: table for table in oracle.tables(root)}
