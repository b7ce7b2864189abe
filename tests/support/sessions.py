"""
What people type and what they are told, as text.

    what must go on keeps a feature out
      0: protocol 1 2; metadata
      > enable-feature t deletionVectors --for-client hive
      7 hive@3.0.0 cannot read
      > inspect t
      + reader 1
      - deletionVectors
      protocol.minReaderVersion -> 1

Lines are taken one after the other. Those of a log, as in `tests.support.case_files`, are written
to the table `t`, or to the one that a line `table NAME` has named last; `file NAME: text` and `env
NAME=text` make a file and a variable, and `read NAME: text` tells what a file has. After a command
stand its exit code, unless that is 0, with words that are said, further words after `+`, and after
`-` words that are not said; then values of its document, by JMESPath, for which it is run with
`-o json`, and which is as its schema says. A line `screen` tells that the answer fits one. `...`
among words stands for any. `HERE` is the directory where all that happens, `ACCEPT_ALL` the consent
to whatever becomes of any client. What applies nothing, or is refused, has not changed any log.
Without `--commit-engine embedded`, commits are made as Spark would.
"""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jmespath
import pytest
from jsonschema import Draft202012Validator

from deltaadm.documents import schemas
from tests.support import case_files
from tests.support.clients import ACCEPT_ALL
from tests.support.program import LogWriter, Result, deltaadm

Session = tuple[list[str], dict[str, str]]
_LOG = re.compile(
    r"(\d+(\.\.\d+)?( (bare|at=\S+|cut=\S+))*"
    r"|(checkpoint|multipart|v2|compacted|crc|write) .*?):( |$)|pointer |delete "
)
_CODE = re.compile(r"(\d+)( .+)?")
_MAY_WRITE = {0, 1, 5, 8, 9}


def sessions(file: Path) -> Iterator[tuple[str, Session]]:
    for first, lines, names in case_files.blocks(file):
        yield first, (lines, names)


def follow(session: Session, here: Path) -> None:
    """Do what the lines say; *here* is the place of all files."""
    lines, names = session
    table, at = here / "t", 0
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        while at < len(lines):
            line, at = lines[at], at + 1
            kind, _, rest = line.partition(" ")
            if kind == ">":
                end = next((n for n in range(at, len(lines)) if _begins(lines[n])), len(lines))
                _Command(_filled(rest, names), here).check(lines[at:end])
                at = end
            elif kind == "table":
                table = here / rest
            elif kind == "file":
                name, _, text = (part.strip() for part in rest.partition(":"))
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                text = text.replace("\\r", "\r").replace("\\n", "\n")
                Path(name).write_bytes(text.encode())
            elif kind == "read":
                name, _, text = (part.strip() for part in rest.partition(":"))
                assert text in Path(name).read_text(encoding="utf-8"), line
            elif kind == "env":
                patch.setenv(*rest.split("=", 1))
            else:
                case_files.table_of([line], names)(table)


def _begins(line: str) -> bool:
    return bool(re.match("> |table |file |read |env ", line) or _LOG.match(line))


def _filled(text: str, names: dict[str, str]) -> str:
    known = names | {"ACCEPT_ALL": " ".join(ACCEPT_ALL)}
    return re.sub(r"\b[A-Z][A-Z0-9_]+\b", lambda name: known.get(name[0], name[0]), text)


class _Command:
    def __init__(self, line: str, here: Path) -> None:
        self.line, self.here = line, here
        self.words = shlex.split(line.replace("HERE", str(here)))

    def run(self, *more: str) -> Result:
        before = self.logs()
        with pytest.MonkeyPatch.context() as patch:
            if "embedded" not in self.words:
                patch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())
            result = deltaadm(*self.words, *more)
        applies = {"--apply", "apply"} & {*self.words} and "--check" not in self.words
        may_write = applies and result.code in _MAY_WRITE
        assert may_write or self.logs() == before, (self.line, result)
        return result

    def logs(self) -> list[tuple[str, int]]:
        found = self.here.rglob("_delta_log/*")
        return sorted((str(file), file.stat().st_mtime_ns) for file in found)

    def check(self, expected: list[str]) -> None:
        with_words = [line for line in expected if line[0] in "+-" or _CODE.fullmatch(line)]
        with_words += ["screen"] * ("screen" in expected)
        queries = [line.rsplit(" -> ", 1) for line in expected if line not in with_words]
        once = "--apply" in self.words or self.words[0] in {"apply", "record"} or "-o" in self.words
        form = () if "-o" in self.words or self.words[0] == "record" else ("-o", "json")
        result = self.run(*form) if once and queries else self.run()
        said = " ".join(f"{result.out} {result.err}".split())
        codes = [line for line in with_words if line[0].isdigit()]
        assert result.code == int((codes or ["0"])[0].split()[0]), (self.line, result)
        assert result.code != 2 or "json" in str(self.words) or result.out == "", self.line
        assert "Traceback" not in result.err, self.line
        layout = re.search(r"^error: .*[.?]\n  .*\S$", result.err, re.MULTILINE)
        assert layout or "error: " not in result.err or self.words[0] == "validate", result
        assert "screen" not in with_words or len(result.out.splitlines()) <= 24, self.line
        for line in with_words:
            words = line.partition(" ")[2].replace("HERE", str(self.here))
            pattern = re.escape(words).replace(r"\.\.\.", ".*")
            assert bool(re.search(pattern, said)) is (line[0] != "-"), (self.line, words, said)
        answer = result if once else self.run(*form) if queries else result
        assert answer.code == result.code, self.line
        document = self.document(answer) if queries else None
        for query, value in queries:
            found = jmespath.search(query, document)
            wanted = json.loads(value.replace("HERE", str(self.here)))
            assert found == wanted, (self.line, query, found)

    def document(self, answer: Result) -> Any:
        """What was answered, which is as the published schemas say."""
        found = answer.lines if "jsonl" in self.words else answer.document
        if not {"--json", "--query"} & {*self.words}:
            for one in found if isinstance(found, list) else [found]:
                kind = one.get("document", one.get("kind")).removeprefix("deltaadm-")
                Draft202012Validator(schemas().get(kind.replace("_", "-"), {})).validate(one)
        return found
