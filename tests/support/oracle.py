"""What Delta on Spark answered: recorded cases, small tables, and a corpus of foreign ones.

The recorded answers are the truth that tests compare with; nothing here computes or edits them.
"""

import base64
import json
import lzma
import os
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

ARCHIVE = Path(__file__).parent.parent / "data" / "oracle.tar.xz"
REPOSITORY = Path(__file__).parent.parent.parent

Case = dict[str, Any]


@dataclass(frozen=True, slots=True)
class OracleTable:
    """A small real table; `expected` is the content of its `expected.json`."""

    name: str
    path: Path
    expected: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CorpusTable:
    """A table of another project's test suite, with what Delta on Spark says about it."""

    name: str
    path: Path
    expected: dict[str, Any]


def cases(name: str) -> list[Case]:
    """All cases of `algebra`, `e2e`, `odd-logs` or `replay`, in the order of recording."""
    return [json.loads(line) for line in _archive()[f"{name}.jsonl"].splitlines()]


def recorded(file: Path) -> list[Any]:
    """The rows of JSON in a *file*, which may be packed."""
    with (lzma.open if file.suffix == ".xz" else open)(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def record_rows(file: Path, rows: Iterable[Any]) -> None:
    """Write *rows* as `recorded` reads them."""
    body = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
    packed = lzma.compress(body, preset=9 | lzma.PRESET_EXTREME)
    file.write_bytes(packed if file.suffix == ".xz" else body)


def feature_registry() -> dict[str, Any]:
    """Every table feature that the engine knows."""
    return json.loads(_archive()["feature-registry.json"])


def property_registry() -> list[dict[str, Any]]:
    """Every `delta.*` table property that the engine knows."""
    return json.loads(_archive()["property-registry.json"])


def table_names() -> list[str]:
    """The names of the small tables, for parametrised tests."""
    return sorted(name.split("/")[1] for name in _archive() if name.endswith("/expected.json"))


def table(name: str, into: Path) -> OracleTable:
    """Extract one small table below *into*."""
    prefix = f"tables/{name}/"
    files = {key: body for key, body in _archive().items() if key.startswith(prefix)}
    _write(files, into)
    expected = json.loads(files[f"{prefix}expected.json"])
    return OracleTable(name, into / "tables" / name / expected["directory"], expected)


def tables(into: Path) -> list[OracleTable]:
    return [table(name, into) for name in table_names()]


def write_log(files: Iterable[Mapping[str, str]], directory: Path) -> Path:
    """Write a case's `start.files` into the `_delta_log` of *directory*, which is returned."""
    log = directory / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    _write(dict(log_files(files)), log)
    return directory


def log_files(files: Iterable[Mapping[str, str]]) -> Iterator[tuple[str, bytes]]:
    """The names and bodies of a case's `start.files`."""
    for file in files:
        body = file["text"].encode() if "text" in file else base64.b64decode(file["base64"])
        yield file["name"], body


def corpus() -> list[CorpusTable]:
    """The corpus next to the repository, or below `DELTAADM_SHARED`; skips the test without it."""
    found = corpus_if_present()
    if not found:
        pytest.skip(_NO_CORPUS)
    return found


def corpus_by_name() -> dict[str, CorpusTable]:
    """Like `corpus`, for tests that are marked with `NEEDS_CORPUS`."""
    return {table.name: table for table in corpus_if_present()}


def corpus_if_present() -> list[CorpusTable]:
    """Like `corpus`, for collecting parameters: empty without it."""
    root = _shared() / "corpus"
    expectations = root / "expected.jsonl"
    if not expectations.is_file():
        return []
    rows = [json.loads(line) for line in expectations.read_text(encoding="utf-8").splitlines()]
    return [CorpusTable(row["table"], root / row["table"], row) for row in rows]


def _shared() -> Path:
    return Path(os.environ.get("DELTAADM_SHARED") or REPOSITORY.parent / "shared")


def _write(files: Mapping[str, bytes], root: Path) -> None:
    for name, body in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)


@lru_cache(maxsize=1)
def _archive() -> Mapping[str, bytes]:
    with tarfile.open(ARCHIVE, "r:xz") as archive:
        members = ((member.name, archive.extractfile(member)) for member in archive)
        return {name: content.read() for name, content in members if content is not None}


_NO_CORPUS = f"no corpus below {_shared()}: set DELTAADM_SHARED to where it is"
NEEDS_CORPUS = pytest.mark.skipif(not corpus_if_present(), reason=_NO_CORPUS)
