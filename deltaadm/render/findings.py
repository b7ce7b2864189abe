"""The parts of a finding that CI formats need: its file, and whether it is known."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass
from deltaadm.operations.commands import fix_command
from deltaadm.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deltaadm.validation.finding import Finding, ValidationReport

LOG = "_delta_log"

_PLACE = re.compile(
    r"(protocol|configuration|schema|id|name|description|format|partitionColumns|createdTime"
    r"|metaData|domainMetadata|txn|commitInfo)(?![^\s.\[])"
)
_LOG_FILE = re.compile(r"[0-9]{20}\.|_last_checkpoint|_sidecars/|_staged_commits/")
_ENDINGS = (".parquet", ".json", ".crc")
_QUOTED = re.compile(r"delta\.`(.+)`", re.DOTALL)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


@dataclass(frozen=True)
class Located:
    """
    A finding, the file that it is about, and the place within the table if it names one.

    `file` begins with the table as the user wrote it. `fingerprint` is the same in every run
    that finds the same thing at the same place, and differs from all others of its report.
    """

    finding: Finding
    file: str
    place: str
    fingerprint: str


def located(report: ValidationReport, findings: Iterable[Finding]) -> Iterator[Located]:
    """*findings*, which are some of *report*, in their order."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        key = (finding.code, finding.where)
        seen[key] += 1
        file = _file(finding.where)
        yield Located(
            finding=finding,
            file=path_of(report.table, file or LOG),
            place="" if file else finding.where,
            fingerprint=fingerprint(report.table, *key, str(seen[key])),
        )


def _file(where: str) -> str:
    """The file that *where* names, as seen from the table; empty if it is a place in the table."""
    if _LOG_FILE.match(where):
        return f"{LOG}/{where}"
    return "" if _PLACE.match(where) and not where.endswith(_ENDINGS) else where


def fingerprint(*parts: str) -> str:
    """A hash of *parts*, whose boundaries count."""
    joined = "\0".join(part.replace("\\", "\\\\").replace("\0", "\\0") for part in parts)
    from hashlib import sha256

    return sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def path_of(table: str, file: str = "") -> str:
    """The path of *file*, which is one of the table's or absolute, as seen from the user."""
    if file.startswith("/") or _SCHEME.match(file):
        return file
    quoted = _QUOTED.fullmatch(table)
    named = quoted[1] if quoted else table
    root = named.removeprefix("./").rstrip("/") or ("" if named.startswith("/") else ".")
    return f"{root}/{file}" if file else root or "/"


def uri_of(path: str) -> str:
    """
    *path* as a URI, or as a relative reference if it is relative.

    >>> uri_of("/data/my events")
    'file:///data/my%20events'
    >>> uri_of("a:b/c")
    'a:b/c'
    >>> uri_of("data/50%")
    'data/50%25'
    """
    scheme = _SCHEME.match(path)
    if scheme is not None:
        return _quoted(path, "/:@!$&'()*+,;=~%")
    encoded = _quoted(path, "/@!$&'()*+,;=~")
    return f"file://{encoded}" if path.startswith("/") else encoded


def _quoted(text: str, safe: str) -> str:
    # Names of files may hold bytes that are no UTF-8, which Python has as surrogates.
    from urllib.parse import quote

    return quote(text.encode("utf-8", "surrogatepass"), safe=safe)


def sentence(finding: Finding) -> str:
    """The message of a finding, with its place if the message does not name it."""
    known = not finding.where or finding.where in finding.message
    return visible(finding.message if known else f"{finding.where}: {finding.message}")


def advice(table: str, finding: Finding) -> tuple[str, ...]:
    """The remedy, and the command that applies it if there is one."""
    command = fix_command(table, finding.fix)
    return tuple(filter(None, (visible(finding.remedy), command and f"Fix: {visible(command)}")))
