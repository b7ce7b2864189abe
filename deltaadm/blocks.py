"""
What a report or a plan says, as blocks; text, Markdown and HTML are three writers of them.

Headings, paragraphs, tables, lists and commands are what a page is made of. Where a terminal
shows something else than a page does, the block `Either` has both. A report is any value that names
the kind of its JSON document and the function that makes its blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum

from deltaadm.dataclass import dataclass, named
from deltaadm.domain.features import TableFeature
from deltaadm.errors import DeltaadmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from deltaadm.rules.rule import Finding, Severity

    class Report(Protocol):
        """A value that a command reports."""

        @property
        def document(self) -> str:
            """The kind of its JSON document; empty if it has none."""

        @property
        def blocks(self) -> str:
            """The function that shows it, with its module in full; or empty."""


@dataclass(frozen=True)
class FeatureReport:
    """
    One feature of a table; `feature` is None for a name that nobody knows.

    `supported` is "explicit", "implicit" or None. An `active` one is supported, and in use by the
    metadata or, where nothing in the metadata asks for it, not known to be unused. `because` says
    what lists, implies, activates, uses or requires it.
    """

    name: str
    feature: TableFeature | None
    supported: str | None
    active: bool
    because: tuple[str, ...]


class Health(Enum):
    """Whether something will do: yes, perhaps not, no."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True)
class Check:
    """A requirement of deltaadm; `remedy` says what to do unless it is met."""

    subject: str
    health: Health
    detail: str
    remedy: str = ""

    @classmethod
    def of(cls, subject: str, ask: Callable[[], str | None], detail: str = "") -> Check:
        """Met with what *ask* says, or this *detail*; not if it raises a `DeltaadmError`."""
        try:
            said = ask()
        except DeltaadmError as error:
            return cls(subject, Health.FAILED, error.message, error.remedy)
        return cls(subject, Health.OK, said or detail)


# What a page is made of


@dataclass(frozen=True)
class Heading:
    """A heading; `level` 1 begins a report, `tone` is that of its worst news."""

    text: str
    level: int = 2
    tone: str = ""


@dataclass(frozen=True)
class Paragraph:
    """
    Sentences; `tone` is error, warning, info, good, or nothing of these.

    Text indents what is `nested` below the line above it.
    """

    text: str
    tone: str = ""
    nested: bool = False


class Prose(Paragraph):
    """A paragraph that stands apart, as those of documentation do."""


@dataclass(frozen=True)
class Table:
    """
    Rows whose first cell names them; `columns` are empty where the rows need no headings.

    In text the rows of a table that is `plain` speak for themselves.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    plain: bool = False


@dataclass(frozen=True)
class Matrix:
    """
    What each client does with each column: a mark, and the verdict that gives the cell its tone.

    `rows` have a name and a cell for each of `columns`; a cell is a mark and a tone, which is good,
    info, warning, error or nothing. `legend` explains the marks.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    legend: str


Reasons = tuple[tuple[str, tuple[str, ...]], ...]
"""Names by the reason that they share, which is empty for those without one."""


@dataclass(frozen=True)
class Chips:
    """
    Names in groups: what is true of a group, with its tone, and its names by their reasons.

    Elsewhere than on a page in HTML they are the rows of a table.
    """

    caption: str
    groups: tuple[tuple[str, str, Reasons], ...]

    @property
    def table(self) -> Table:
        """A row for each group."""
        rows = ((title, in_words(parts)) for title, _, parts in self.groups)
        return Table(self.caption, (), tuple(rows))


def in_words(reasons: Reasons) -> str:
    """Names, those with the same reason together and before it."""
    listed = ((", ".join(names), reason) for reason, names in reasons)
    return "; ".join(f"{names} ({reason})" if reason else names for names, reason in listed)


@dataclass(frozen=True)
class Cards:
    """The verdicts that a page begins with: what about, in a word or two, and the tone of each."""

    cards: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Items:
    """A list; text puts a `mark` before each item."""

    texts: tuple[str, ...]
    mark: str = "-"


@dataclass(frozen=True)
class Command:
    """Text to be pasted into a shell or sent to Spark; `label` says how it is run."""

    text: str
    label: str = ""

    @property
    def introduction(self) -> str:
        """The label as a page has it, above the command."""
        return f"{self.label[:1].upper()}{self.label[1:]}:"


@dataclass(frozen=True)
class Graph:
    """
    The features of a table with what they require, beside the findings about them.

    Where there are those *before* a change, it shows which come and go.
    """

    features: tuple[FeatureReport, ...]
    findings: tuple[Finding, ...] = ()
    before: tuple[FeatureReport, ...] | None = None


@dataclass(frozen=True)
class Timeline:
    """
    A timeline: `points` are a version and its day.

    Each lane has a name, and bars from left to right, at least one: a value, which is empty where
    the name says all, the number of the point from which on it holds, and that where it ends.
    """

    title: str
    points: tuple[tuple[str, str], ...]
    lanes: tuple[tuple[str, tuple[tuple[str, int, int], ...]], ...]


# What a terminal arranges in another way


@dataclass(frozen=True)
class ChangeRow:
    """A change of a kind (+, -, ~ or =), and if it is known why it comes about."""

    kind: str
    text: str
    because: str = ""


@dataclass(frozen=True)
class Changes:
    """What changes, one by one, or in sections by their names."""

    rows: tuple[ChangeRow, ...]
    sections: tuple[tuple[str, tuple[ChangeRow, ...]], ...] = ()

    @property
    def named(self) -> tuple[tuple[str, tuple[ChangeRow, ...]], ...]:
        """The sections; one without a name where there are none."""
        return self.sections or (("", self.rows),)


@dataclass(frozen=True)
class EqualFindings:
    """Findings of a rule that say the same, with the place and the command of each."""

    finding: Finding
    places: list[str]
    commands: list[str]


@dataclass(frozen=True)
class Findings:
    """Findings of one severity, the command that fixes each if there is one, and how many more."""

    title: str
    severity: Severity
    findings: tuple[Finding, ...]
    commands: tuple[str, ...]
    more: Mapping[str, int]

    def by_rule(self) -> Iterator[tuple[list[EqualFindings], list[str]]]:
        """The findings of each rule, equal ones together, and their remedies, each once."""
        rules: dict[str, dict[tuple[str, str], EqualFindings]] = {}
        for finding, command in zip(self.findings, self.commands, strict=True):
            groups = rules.setdefault(finding.code, {})
            key = (finding.message, finding.remedy)
            group = groups.setdefault(key, EqualFindings(finding, [], []))
            # What is about a client begins with its name.
            is_client = finding.where.startswith("client[")
            group.places.append("" if is_client else finding.where)
            group.commands.append(command)
        for groups in rules.values():
            remedies = dict.fromkeys(remedy for _, remedy in groups if remedy)
            yield list(groups.values()), list(remedies)

    def in_lists(self) -> Iterator[Simple]:
        """Under each rule what it found, each remedy once; and the commands below."""
        yield Heading(self.title, tone=self.severity.value)
        for groups, remedies in self.by_rule():
            rule = groups[0].finding
            yield Heading(f"{rule.code} {rule.name}", level=3)
            items = []
            for group in groups:
                told = (", ".join(filter(None, group.places)), group.finding.message)
                remedy = group.finding.remedy if len(remedies) > 1 else ""
                advice = f" What to do: {remedy}" if remedy else ""
                items.append(f"{': '.join(filter(None, told))}{advice}")
            yield Items(tuple(items))
            if len(remedies) == 1:
                yield Paragraph(f"What to do: {remedies[0]}")
        commands = tuple(dict.fromkeys(filter(None, self.commands)))
        if commands:
            yield Paragraph("What deltaadm can fix:")
        yield from map(Command, commands)
        for code, count in self.more.items():
            yield Paragraph(f"{count} more findings of {code} are not listed.")


@dataclass(frozen=True)
class Either:
    """What a page shows, and what a terminal does, which often lacks room or says it already."""

    page: Iterable[Common] = ()
    text: Iterable[Common] = ()


class Details(Either):
    """The same where a terminal shows what a page does if details are asked for by -v."""


Simple = Heading | Paragraph | Table | Matrix | Items | Command
Common = Simple | Changes | Findings | Cards | Chips | Graph | Timeline
Block = Common | Either


def text_blocks(report: Report, *, verbose: bool = False) -> Iterator[Common]:
    """What a terminal shows of *report*, from top to bottom; if it is *verbose*, with details."""
    for block in named(report.blocks)(report):
        shown: Iterable[Common] = (block,)
        if isinstance(block, Either):
            shown = block.page if verbose and isinstance(block, Details) else block.text
        # What is beside these says the same.
        yield from (each for each in shown if not isinstance(each, Cards | Graph | Timeline))


def page_blocks(report: Report) -> Iterator[Common]:
    """What a page shows of *report*, from top to bottom."""
    for block in named(report.blocks)(report):
        yield from block.page if isinstance(block, Either) else (block,)
