# ruff: noqa: INP001 -- a script, not a package
"""
What the site has beside the pages written by hand: lists that follow from the code.

A page of docs/ marks by `<!-- deltaadm: rules -->` where the list of rules stands on the site.
None of it is committed: `python3 dev.py site` fills copies of the pages, and the program prints
the same by `deltaadm rules`, `features`, `clients`, `config`, `explain`, `schema` and `help`.
"""

from __future__ import annotations

import json
import os
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Final

from deltaadm.cli.help import command_help, program_help, topic_help
from deltaadm.cli.settings import DEMANDS, option_settings
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import OTHER_VARIABLES, TOPICS, VARIABLES
from deltaadm.clients import CLIENTS, EVERY_OTHER
from deltaadm.documents import schemas as every_schema
from deltaadm.domain.features import FEATURES, Status, undo_feature
from deltaadm.domain.properties import FOREIGN, PROPERTIES
from deltaadm.plans.impact import rows as interrupting
from deltaadm.reports.catalogues import explain_feature, list_clients
from deltaadm.reports.explain import error_classes, list_rules, rules_on
from deltaadm.reports.words import DOES
from deltaadm.runs.settings_file import variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deltaadm.clients import Client, Fact, Verdict
    from deltaadm.domain.features import TableFeature
    from deltaadm.reports.explain import ErrorClass
    from deltaadm.rules.rule import Rule
    from deltaadm.runs.declare import Declared

MARK: Final = re.compile(r"^<!-- deltaadm: ([a-z-]+) -->\n\*.*\*$", re.MULTILINE)
"""The mark, and below it the sentence for those who read the page without the list."""


def filled(text: str) -> str:
    """The text of a page with every list that it marks."""
    return MARK.sub(lambda mark: "\n".join(LISTS[mark[1]]()).strip(), text)


def schemas(directory: Path) -> None:
    """Write the JSON Schema of every document into *directory*, a file each."""
    directory.mkdir(parents=True)
    for name, schema in every_schema().items():
        (directory / f"{name}.json").write_text(json.dumps(schema, indent=2) + "\n")


def table(*heading: str, rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """The lines of a table."""
    yield f"| {' | '.join(heading)} |"
    yield "|---" * len(heading) + "|"
    for row in rows:
        yield "| " + " | ".join(cell or "-" for cell in row) + " |"


# What plans interrupt


def interruptions() -> Iterator[str]:
    """What each kind of change interrupts."""
    rows = ((row.when, row.work, row.consequence.value, row.advice) for row in interrupting())
    yield from table("when", "what is interrupted", "how", "what to do", rows=rows)


# Table features


def features() -> Iterator[str]:
    """Every table feature: a table, and a section each."""
    yield from table(
        "feature",
        "concerns",
        "implied by",
        "status",
        "activated by",
        rows=(
            (
                feature_link(each.name),
                each.kind.value,
                f"{each.legacy[0] or 1}, {each.legacy[1]}" if each.legacy else "",
                each.status.value,
                ", ".join(f"`{key}={value}`" for key, value in each.activation.properties.items()),
            )
            for each in FEATURES.values()
        ),
    )
    for feature in FEATURES.values():
        yield f"\n## {feature.name}\n"
        yield from (f"- {what}: {text}" for what, text in feature_facts(feature))
        if feature.caution:
            yield f"\n{feature.caution}"


def feature_facts(feature: TableFeature) -> Iterator[tuple[str, str]]:
    """What the registry says of *feature*, with a word on each fact."""
    yield "concerns", "writers and readers" if feature.is_reader else "writers only"
    since = f", since Delta Spark {feature.since}" if feature.since else ""
    yield "status", feature.status.value + since
    if feature.legacy:
        reader, writer = feature.legacy
        yield "implied by", f"reader version {reader or 1} with writer version {writer}"
    if feature.requires:
        yield "requires", ", ".join(map(feature_link, sorted(feature.requires)))
    if required_by := explain_feature(feature.name).required_by:
        yield "required by", ", ".join(map(feature_link, sorted(required_by)))
    if feature.twin:
        yield "other form", feature_link(feature.twin)
    for key, value in feature.activation.properties.items():
        yield "activated by", f"`{key}={value}`"
    if not feature.activation.properties:
        found = feature.activation.find
        yield "activated by", "the metadata, such as its schema" if found else "being supported"
    if feature.not_addable:
        yield "existing tables", feature.not_addable
    yield "cost of enabling", feature.cost.value
    yield "undo", undo_feature(feature)
    stable = feature.status is Status.STABLE
    yield "described in", f"PROTOCOL.md, *{feature.section}*" if stable else feature.section
    if not feature.in_delta_spark:
        yield "known to", feature.source


def feature_link(name: str) -> str:
    """A link to the section of the feature called *name*."""
    return f"[{name}](#{name.lower()})"


# Clients


COMMON: Final = (
    "columnMapping", "deletionVectors", "timestampNtz", "typeWidening", "v2Checkpoint",
    "variantType", "changeDataFeed", "rowTracking", "clustering",
)  # fmt: skip
"""The features of the matrix: those that concern readers first."""


def client_matrix() -> Iterator[str]:
    """What the newest release of every client does with the features that people meet."""
    rows = (
        (
            f"[{support.release}](#{support.release.client.id})",
            *(use(support.reads.get(name), support.writes[name]) for name in COMMON),
        )
        for support in list_clients().clients
    )
    yield from table("client", *map(feature_page, COMMON), rows=rows)
    deciding = [
        verdict.cells[0]
        for support in list_clients().clients
        for verdict in (*support.reads.values(), *support.writes.values())
        if verdict.cells[0].source
    ]
    tried = sum(cell.source.is_tried for cell in deciding if cell.source)
    yield (
        f"\n{tried} of the {len(deciding)} verdicts on the newest releases and every "
        f"feature for which there is a source, {tried * 100 // len(deciding)} %, were found by "
        "running the program; the others rest on its documentation, source or issues.\n"
    )


def feature_page(name: str) -> str:
    """A link to the section of the feature on its page."""
    return f"[{name}](features.md#{name.lower()})"


def use(read: Verdict | None, write: Verdict) -> str:
    """What a client does with a feature, in a word or two; the worst counts."""
    reads, writes = (each.compatibility.value if each else "works" for each in (read, write))
    if "silently wrong" in (reads, writes):
        return "**wrong data**"
    if reads != "works":
        return {"unknown": "?"}.get(reads, "no")
    return {"works": "yes", "unknown": "read, write: ?"}.get(writes, "read only")


def clients() -> Iterator[str]:
    """Every client, and the facts about it with their sources."""
    yield from table(
        "client",
        "program",
        "versions are",
        "from",
        "to",
        rows=(
            (
                f"[{each.id}](#{each.id})",
                each.name,
                each.versioned_by,
                str(each.oldest),
                str(each.newest),
            )
            for each in CLIENTS.values()
        ),
    )
    for client in CLIENTS.values():
        yield f"\n## {client.id}\n\n{client.name}.\n"
        if client.reference_since:
            yield (
                f"From release {client.reference_since} on there are no facts to look up: deltaadm "
                "reproduces what the program itself refuses to read and to write, and `inspect`, "
                "`validate` and plans all go by that.\n"
            )
        yield from table(
            "to", "protocol", "verdict", "releases", "source", rows=client_facts(client)
        )


def client_facts(client: Client) -> Iterator[tuple[str, ...]]:
    """The rows on *client*."""
    for access, facts in (("read", client.reads), ("write", client.writes)):
        for fact in facts:
            names = ", ".join(f"`{name}`" for name in fact.features)
            if fact.highest is not None:
                names = fact.features[0].replace("version >", "versions above")
            elif EVERY_OTHER in fact.features:
                names = "every other feature"
            names += (" in use" if fact.active else "") + (" in a list" if fact.listed else "")
            said = verdict(fact.compatibility.value, access, fact)
            yield access, names, said, releases(fact), source(fact)


def verdict(value: str, access: str, fact: Fact) -> str:
    """What the client does with such a table, in bold if silently wrong, and the note."""
    bold = "**" if value == "silently wrong" else ""
    return f"{bold}{DOES[value][access]}{bold}" + (f": {fact.note}" if fact.note else "")


def releases(fact: Fact) -> str:
    """The releases that *fact* is about."""
    if fact.since and fact.until:
        return f"{fact.since} up to {fact.until}, without it"
    if fact.since:
        return f"since {fact.since}"
    return f"before {fact.until}" if fact.until else "all"


def source(fact: Fact) -> str:
    """Where *fact* comes from, and the day."""
    return f"{fact.source.title} ({fact.source.date})"


# Properties


def properties() -> Iterator[str]:
    """The properties of Delta Spark."""
    yield from table(
        "property",
        "default",
        "value",
        rows=(
            (
                f"`{each.key}`",
                "" if each.default is None else f"`{each.default}`" if each.default else "empty",
                each.help if each.editable else f"{each.help} Set by Delta, not by users.".strip(),
            )
            for each in PROPERTIES.values()
        ),
    )


def other_properties() -> Iterator[str]:
    """The properties of other engines."""
    yield from table(
        "property",
        "engine",
        "values",
        "source",
        rows=(
            (
                f"`{each.key}*`" if each.key.endswith(".") else f"`{each.key}`",
                each.engine,
                ", ".join(f"`{word}`" for word in each.values),
                each.source,
            )
            for each in sorted(FOREIGN.values(), key=lambda each: each.key.lower())
        ),
    )


# Rules


FAMILIES = {
    "DL1": "the log and what commits hold",
    "DL2": "the protocol",
    "DL3": "metadata, schema and properties",
    "DL4": "column mapping",
    "DL5": "what features require",
    "DL6": "checkpoints",
    "DL7": "files",
    "DL8": "version checksums",
    "DL9": "settings, clients and cross-checks",
}
"""The topic of each family of rules."""


def rules() -> Iterator[str]:
    """Every rule by family: a table, and its documentation."""
    for prefix, title in FAMILIES.items():
        family = list_rules([prefix]).rules
        yield f"\n## {prefix}xx: {title}\n"
        yield from table(
            "code",
            "name",
            "severity",
            "looks at",
            rows=(
                (rule_link(each), each.name, each.severity.value, scope(each)) for each in family
            ),
        )
        yield from (f"\n### {each.code} {each.name}\n\n{each.doc}" for each in family)


def scope(rule: Rule) -> str:
    """What the rule looks at, in a word."""
    return rule.scope.name.lower().replace("_", "-")


def rule_link(rule: Rule, page: str = "") -> str:
    """A link to the section of *rule*."""
    return f"[{rule.code}]({page}#{rule.code.lower()}-{rule.name})"


# Settings and commands


def settings() -> Iterator[str]:
    """The settings of all commands, then those of each."""
    every = option_settings()
    sections = dict.fromkeys(section for section, _ in every.values())
    for name in sorted(sections, key=bool):
        if name:
            yield f"\n## {name}\n"
        yield from setting_table({k: of for k, (section, of) in every.items() if section == name})


def setting_table(chosen: Mapping[str, Declared]) -> Iterator[str]:
    """A table of settings, by their keys with sections."""
    yield from table(
        "setting",
        "value",
        "variable",
        "what it says",
        rows=(
            (
                f"`{key}`",
                setting_kind(option),
                "" if "." in key else f"`{variable(key)}`",
                " ".join(option.help.split()).replace("|", "\\|"),
            )
            for key, option in chosen.items()
        ),
    )


def setting_kind(option: Declared) -> str:
    """What a value of *option* is."""
    if option.counted or option.type_name == "int":
        return "number"
    if option.is_switch:
        return "true or false"
    if option.is_pair:
        return "two strings"
    return "strings" if option.is_list else "string"


def policy() -> Iterator[str]:
    """The keys of the policy on tables."""
    rows = ((key, variable(key), text) for key, text in DEMANDS.items())
    yield from table(
        "setting",
        "variable",
        "what it says",
        rows=(
            (f"`{key}`", f"`{name}`" if name in VARIABLES else "", text) for key, name, text in rows
        ),
    )


def variables() -> Iterator[str]:
    """Variables that are no settings."""
    yield from table(
        "variable",
        "what it says",
        rows=(
            (", ".join(f"`{each}`" for each in name.split(", ")), text)
            for name, text in (*VARIABLES.items(), *OTHER_VARIABLES.items())
        ),
    )


def commands() -> Iterator[str]:
    """The help of the program, of each command and of each topic, 88 columns wide."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "88"
    try:
        helps = [("deltaadm", program_help())]
        helps += [(f"deltaadm {name}", command_help(Command(name))) for name in COMMANDS]
        helps += [(f"help {name}", topic_help(name)) for name in TOPICS]
    finally:
        del os.environ["COLUMNS"]
        if before is not None:
            os.environ["COLUMNS"] = before
    yield from (f"## {title}\n\n```text\n{text.strip()}\n```\n" for title, text in helps)


def documents() -> Iterator[str]:
    """The types of documents, with their schemas."""
    yield from table(
        "name",
        "document",
        rows=(
            (f"[`{name}`](schemas/{name}.json)", each["title"])
            for name, each in every_schema().items()
        ),
    )


# Delta's error classes

MESSAGES: Final[dict[str, str]] = json.loads(
    Path(__file__).with_name("delta-error-messages.json").read_text(encoding="utf-8")
)
"""From `error/delta-error-classes.json` of Delta Spark 4.4.0: those that are explained."""

ABOUT_A_TABLE: Final = (
    "doctor",
    "drop-feature",
    "history",
    "inspect",
    "upgrade-protocol",
    "validate",
)
"""Subcommands that say something about a table without further arguments."""


def troubleshooting() -> Iterator[str]:
    """Every error class: message, meaning and commands."""
    known = error_classes().values()
    yield "## Delta errors A-Z\n"
    ordered = sorted(known, key=lambda each: each.name)
    yield from (error_class(each) for each in ordered if each.name in MESSAGES)
    yield "## Spark errors on Delta tables\n"
    yield from (error_class(each) for each in ordered if each.name not in MESSAGES)


def error_class(found: ErrorClass) -> str:
    """The section on an error class."""
    parts = (
        f"### {found.name}\n",
        message(found.name),
        f"{found.meaning}\n",
        what_to_do(found.commands, rules_on(found)),
    )
    return "\n".join(filter(None, parts))


def message(name: str) -> str:
    """The messages of an error class and its subclasses."""
    lines = [
        f"[{each}] {text}\n"
        for each, text in MESSAGES.items()
        if each == name or each.startswith(f"{name}.")
    ]
    return f"```text\n{''.join(lines)}```\n" if lines else ""


def what_to_do(names: Sequence[str], causes: Sequence[Rule]) -> str:
    """The commands and rules that help, as sentences."""
    lines = (
        f"deltaadm {name} TABLE" if name in ABOUT_A_TABLE else f"deltaadm {name}" for name in names
    )
    links = (f"[`{line}`](commands.md#{'-'.join(line.split()[:2])})" for line in lines)
    said = f"What to do: run {', or '.join(links)}.\n" if names else ""
    if causes:
        links = (rule_link(each, "rules.md") for each in causes)
        said += f"`validate` finds the causes by {', '.join(links)}.\n"
    return said


# Licences

REQUIREMENT: Final = re.compile(r"([\w.-]+)\s*(?:\[([\w, -]*)\])?[^;]*(?:;(.*))?")
CLASSIFIER: Final = "License :: OSI Approved :: "


def licences() -> Iterator[str]:
    """The packages that are installed with deltaadm, and their licences."""
    found: dict[str, str] = {}
    for extra in ("", "spark", "connect"):
        for name in needed("deltaadm", {extra} if extra else set(), set()):
            found.setdefault(name, f"`[{extra}]`" if extra else "always")
    rows = ((name, use, licence(name)) for name, use in found.items())
    yield from table("package", "for", "licence", rows=sorted(rows, key=lambda row: row[0].lower()))


def needed(name: str, extras: set[str], seen: set[str]) -> Iterator[str]:
    """What the distribution called *name* requires with *extras*, and what that does in turn."""
    from packaging.markers import Marker

    for text in distribution(name).requires or ():
        match = REQUIREMENT.match(text)
        marker = (match[3] or "").strip() if match else ""
        choices = extras or {""}
        if not match or (
            marker and not any(Marker(marker).evaluate({"extra": x}) for x in choices)
        ):
            continue
        other = re.sub(r"[-_.]+", "-", match[1]).lower()
        more = {each.strip() for each in (match[2] or "").split(",")} - {""}
        try:
            distribution(other)
        except PackageNotFoundError:  # needed on another system, or by another Python
            continue
        if (key := f"{other}[{','.join(sorted(more))}]") not in seen:
            seen.add(key)
            yield other
            yield from needed(other, more, seen)


def licence(name: str) -> str:
    """What the metadata says: an expression, or else a classifier, or else a short text."""
    data = distribution(name).metadata
    if expression := data.get("License-Expression"):
        return str(expression)
    classifiers = [
        each.removeprefix(CLASSIFIER)
        for each in data.get_all("Classifier") or ()
        if each.startswith(CLASSIFIER)
    ]
    said = (data.get("License") or "").strip().splitlines()
    return ", ".join(classifiers) or (said[0] if said else "not said")


LISTS: Final = {
    "features": features,
    "client-matrix": client_matrix,
    "clients": clients,
    "properties": properties,
    "other-properties": other_properties,
    "rules": rules,
    "settings": settings,
    "policy": policy,
    "variables": variables,
    "commands": commands,
    "documents": documents,
    "troubleshooting": troubleshooting,
    "licences": licences,
    "interruptions": interruptions,
}
"""What makes each list, by the name that a page marks it with."""
