"""Names that are not what they should be; commits that are torn, not JSON, or missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from shlex import quote
from typing import Final

from deltaadm.domain.snapshot import Kind, LogFile, LogListing, commit_name
from deltaadm.errors import TableError, some_of
from deltaadm.plans.repair.checkpoints import RESTORE, Comparison, damaged_commits, proof
from deltaadm.plans.repair.repair import PARTS, Case, Repair, refused, sha256, spared
from deltaadm.replay.commit_lines import json_values
from deltaadm.replay.commits import read_lines
from deltaadm.replay.examine_checkpoints import compaction_facts

_UNPADDED: Final = r"(?P<version>\d+)(?P<rest>\.json|\.crc|\.checkpoint\.parquet)"
_COPY: Final = (
    r"(?P<version>\d{20})(?P<mid>(?:\.checkpoint)?)"
    r"(?: ?\(\d+\)| - copy(?: \(\d+\))?|[ _.-]copy[ _-]?\d*|_\d)"
    r"(?P<rest>\.json|\.crc|\.parquet)"
)
"""What copy tools make of names of the log."""


def find_names(case: Case) -> Iterator[Repair]:
    """Commits, checkpoints and checksums with wrong padding or case, and duplicates of them."""
    listing = case.listing
    commits = listing.by_kind.get(Kind.COMMIT, ())
    proper = [int(name[:20]) for name in commits if right_name(name) is None]
    newest = max(proper, default=inf)
    taken = {name for name in listing.infos if right_name(name) is None}
    for name in sorted(listing.infos):
        right = right_name(name)
        if right is None:
            continue
        file, version = LogFile.of(listing.infos[name]), int(right[:20])
        rule = "DL122" if file.kind is Kind.UNKNOWN else "DL105"
        wrong = f"{name} is not called {right}."
        # What readers that take the wrong name for a version may have seen differently.
        alters = () if file.kind is Kind.UNKNOWN else ("version", *PARTS)
        if right in taken and sha256(case, name) == sha256(case, right):
            yield Repair("name", rule, f"{name} is a copy of {right}.", {name: None}, alters)
        elif right in taken:
            refusal = f"{right} is there as well, and has other content"
            remedy = "Find out which of the two was committed, from a backup or the writer's log."
            yield refused("name", rule, wrong, refusal, remedy)
        elif file.kind is not Kind.COMMIT and right.endswith(".json") and version > newest:
            refusal = f"it would make a version {version}, and nothing tells that it was committed"
            remedy = f"If it was, rename it to {right}; otherwise move it out of the log."
            yield refused("name", rule, wrong, refusal, remedy)
        else:
            yield Repair("name", rule, wrong, {right: name, name: None}, alters)
        taken.add(right)


def right_name(name: str) -> str | None:
    """
    The name that a file of the log should have; None where that is its own, or unknown.

    >>> right_name("5.json"), right_name("00000000000000000005 (1).JSON")
    ('00000000000000000005.json', '00000000000000000005.json')
    """
    lower = name.lower()
    copied = re.fullmatch(_COPY, lower, re.ASCII)
    plain = re.fullmatch(_UNPADDED, lower, re.ASCII)
    if copied is not None:
        return f"{copied['version']}{copied['mid']}{copied['rest']}"
    if plain is None:
        return None
    right = f"{int(plain['version']):020d}{plain['rest']}"
    return right if right != name else None


def find_commits(case: Case) -> Iterator[Repair]:
    """Commits after the newest checkpoint that cannot be read: the newest ones, and others."""
    checkpoints, every = case.listing.checkpoints, case.listing.commits
    base = checkpoints[-1].version if checkpoints else -1
    commits, newest = every.after(base), True
    if every and not commits and (flaw := _flaw(case, every[-1])):
        yield _beside_checkpoint(case, every[-1], flaw)
    is_read = case.loaded is not None and not case.listing.of_kind(Kind.COMPACTED)
    for file in reversed(list(commits)):
        # All that has been loaded can be read, but the newest ones may hold nothing.
        may_be_empty = file.info.size <= (_EMPTY if newest else 0)
        flaw = "" if is_read and not may_be_empty else _flaw(case, file)
        if flaw and newest and not _compacted(case, file.number):
            yield _torn(case, file, flaw)
        elif flaw:
            yield _in_the_middle(case, file, flaw)
            if file == every[-1] and case.loaded is not None:
                yield _beside_checkpoint(case, file, flaw)
        newest = newest and flaw != "" and file.path in case.files
    for before, after in zip((base, *commits.versions), commits.versions, strict=False):
        # A damaged checkpoint in place of the beginning is refused as such.
        if before < after - 1 and (before >= 0 or not case.listing.checkpoint_files):
            wrong = f"Version {before + 1} has no commit, but version {after} has one."
            why = "nothing in the log says what the missing commit did"
            rule = "DL101" if before >= 0 else "DL102"
            yield refused("commit", rule, wrong, why, _elsewhere(case, before + 1))
    for file in case.listing.checksums_ahead:
        wrong = f"Version {file.number} has no commit, but a checksum."
        why = "it was committed, and nothing in the log says what it did"
        remedy = f"{_elsewhere(case, file.number)} If nobody has it, move {file.path} away."
        yield refused("commit", "DL101", wrong, why, remedy)


_EMPTY: Final = 1 << 10
"""Bytes up to which a commit may well have no actions."""


def _compacted(case: Case, version: int) -> list[str]:
    files = case.listing.of_kind(Kind.COMPACTED)
    return [file.path for file in files if file.number <= version <= (file.end or 0)]


def _flaw(case: Case, file: LogFile) -> str:
    try:
        actions = sum(1 for _ in read_lines(case, file.path).actions())
    except TableError as error:
        return error.message
    return "" if actions else f"{file.path} is empty."


def _torn(case: Case, file: LogFile, flaw: str) -> Repair:
    """The newest commit, which is moved aside unless all of it is there."""
    body = case.read(file.path).decode(errors="replace").encode()
    if json_values(body):
        refusal = "all of its JSON is there, and only its writer knows what it was to say"
        remedy = (
            "Have it commit that again, or correct the line by hand; of JSON that is spread over "
            "several lines, write each action on one (`jq -c . FILE`)."
        )
        return refused("commit", "DL103", flaw, refusal, remedy)
    whole = (value for line in body.splitlines() for value in json_values(line) or ())
    adds = (value.get("add") for value in whole if isinstance(value, dict))
    named = [str(add.get("path")) for add in adds if isinstance(add, dict)]
    # A checksum without its commit stops the Rust kernel, too.
    moved = [name for name in (f"{file.number:020d}.crc", file.path) if name in case.listing.infos]
    effect = (
        f"Version {file.number} becomes free again: the next commit gets it. The data files of "
        f"this one belong to no version; what is left of it names {some_of(named) or 'none'}."
    )
    proof = f"that the writer of version {file.number} was never told that it is committed"
    proof += "; that it has a checksum speaks against it" if moved[1:] else ""
    files, alters = dict.fromkeys(moved), ("version", *PARTS)
    return Repair("commit", "DL104", flaw, files, alters, effect, unproved=(proof,))


def _beside_checkpoint(case: Case, file: LogFile, flaw: str) -> Repair:
    why = f"version {file.number} has a checkpoint, which must not be without its commit; readers "
    why += "that begin with it see everything"
    return refused("commit", "DL104", flaw, why, _elsewhere(case, file.number))


def _in_the_middle(case: Case, file: LogFile, flaw: str) -> Repair:
    # One that is empty counts as one without actions, so that the table loads.
    if (snapshot := case.loaded) is None or not file.info.size:
        last = case.listing.commits.versions[-1]
        why = f"later versions, up to {last}, build upon what it said"
        return refused("commit", "DL103", flaw, why, _elsewhere(case, file.number))
    wrong = f"{flaw} Readers that do not use compacted commits cannot load the table."
    return spared("commit", "DL103", wrong, snapshot)


def _elsewhere(case: Case, version: int) -> str:
    later = [file.path for file in case.listing.checkpoint_files if file.number >= version]
    covering = [*_compacted(case, version), *later]
    text = f"Versions up to {version - 1} can still be read. " if version else ""
    if covering:
        text += f"What it did is part of {some_of(covering)}, as far as those can be restored. "
    text += (
        f"Restore {commit_name(version)} from a backup, a copy of the table, or an earlier version "
        "of the object where the bucket keeps them."
    )
    scheme, _, path = case.store.root.partition("://")
    if scheme not in {"s3", "s3a", "s3n"}:
        return text
    path = f"{path}/_delta_log/{commit_name(version)}"
    bucket, _, key = map(quote, path.partition("/"))
    return (
        f"{text} `aws s3api list-object-versions --bucket {bucket} --prefix {key}` lists "
        f"those, and `aws s3api copy-object --bucket {bucket} --key {key} --copy-source "
        f"{quote(f'{path}?versionId=')}ID` brings one back."
    )


def find_compactions(case: Case) -> Iterator[Repair]:
    """Compacted files that cannot be read, or do not say what their commits do."""
    files = case.listing.of_kind(Kind.COMPACTED)
    commits = set(case.listing.commits.versions)
    for fact in compaction_facts(case, case.listing, compared=files):
        flaw, file = fact.error, fact.file
        if fact.difference:
            flaw = f"{file.path} does not say what its commits do: {fact.difference}."
        if not (flaw and commits.issuperset(range(file.number, (file.end or 0) + 1))):
            continue
        if doubt := next(_doubts(case, file) if fact.difference else iter(()), ""):
            refusal = f"perhaps it is right, and the commits are damaged: {doubt}"
            remedy = f"Compare with a backup. {RESTORE}"
            yield refused("compaction", "DL118", flaw, refusal, remedy)
        else:
            found = proof(case, _without(case, file), file.end or 0)
            yield Repair("compaction", "DL118", flaw, {file.path: None}, PARTS, *found)


def _without(case: Case, file: LogFile) -> LogListing:
    infos = case.listing.infos
    return LogListing.of(case.root, {name: infos[name] for name in infos if name != file.path})


def _doubts(case: Case, file: LogFile) -> Iterator[str]:
    """What speaks against the commits that a compacted *file* stands in for."""
    last = file.end or 0
    yield from damaged_commits(case, case.listing.commits.after(file.number - 1).until(last))
    with suppress(TableError):
        listings = case.listing, _without(case, file)
        theirs, ours = (listing.segment(last, before=file.number) for listing in listings)
        yield from Comparison(case, theirs, ours).doubts()
