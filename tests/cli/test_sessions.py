"""What people type, what they are told, and what becomes of the table, as rows of text."""

from pathlib import Path

import pytest

from tests.support.cases import each
from tests.support.sessions import Session, follow, sessions

pytestmark = pytest.mark.slow

FILES = sorted((Path(__file__).parent / "sessions").glob("*.txt"))
SESSIONS = {f"{file.stem}: {name}": found for file in FILES for name, found in sessions(file)}


@each("session", SESSIONS)
def test_a_session_goes_as_its_lines_say(session: Session, tmp_path: Path) -> None:
    follow(session, tmp_path)
