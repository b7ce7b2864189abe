"""The graph of a table's features: what each requires, laid out from left to right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.features import FEATURES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from deltaadm.operations.inspect import TableReport
    from deltaadm.validation.finding import Finding, Severity

_SUPPORT = {"explicit": "listed", "implicit": "implied", None: "not supported"}
_COLUMNS_OF_LONERS = 3


@dataclass(frozen=True, kw_only=True)
class Node:
    """
    A feature and where it stands: the column from the left, the row from the top.

    `severity` is that of the worst finding about it; `change` is + or - where a plan adds or drops
    it, else empty.
    """

    name: str
    supported: bool
    active: bool
    state: str
    severity: Severity | None
    change: str
    column: int
    row: int


@dataclass(frozen=True)
class Graph:
    """Nodes, and edges from a feature to one that it requires."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[Node, Node], ...]


def feature_graph(
    report: TableReport,
    findings: Collection[Finding] = (),
    before: TableReport | None = None,
) -> Graph:
    """
    The features of *report* and all that they require, whether the table has it or not.

    Where a report on the state *before* a plan is given, also those that the plan drops.
    """
    listed = {feature.name: feature for feature in report.features}
    now = _supported(report)
    then = now if before is None else _supported(before)
    requires = dict(_requirements({*listed, *then}))
    nodes = {}
    for name, (column, row) in _places(requires).items():
        feature = listed.get(name)
        supported = feature is not None and feature.supported is not None
        active = feature is not None and feature.active
        support = _SUPPORT[feature.supported if feature is not None else None]
        if name in then - now:
            support = "dropped"
        elif name in now - then:
            support = "added"
        nodes[name] = Node(
            name=name,
            supported=supported,
            active=active,
            state=f"{support}, active" if active else support,
            severity=_worst(name, findings),
            change="+" if name in now - then else "-" if name in then - now else "",
            column=column,
            row=row,
        )
    edges = ((nodes[name], nodes[other]) for name, needed in requires.items() for other in needed)
    return Graph(tuple(nodes.values()), tuple(edges))


def changed_part(graph: Graph) -> Graph:
    """The nodes that come, go or have findings, and those that an edge joins to one of them."""
    touched = {node for node in graph.nodes if node.change or node.severity}
    joined = {node for edge in graph.edges if touched.intersection(edge) for node in edge}
    near = {node.name: node for node in graph.nodes if node in touched | joined}
    edges = [(start.name, end.name) for start, end in graph.edges if {start, end} <= joined]
    requires = {name: tuple(end for start, end in edges if start == name) for name in near}
    nodes = {
        name: replace(near[name], column=column, row=row)
        for name, (column, row) in _places(requires).items()
    }
    return Graph(tuple(nodes.values()), tuple((nodes[start], nodes[end]) for start, end in edges))


def _supported(report: TableReport) -> set[str]:
    return {feature.name for feature in report.features if feature.supported is not None}


def _requirements(names: Collection[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    waiting, seen = sorted(names), set(names)
    while waiting:
        name = waiting.pop(0)
        known = FEATURES.get(name)
        needed = tuple(sorted(known.requires)) if known else ()
        yield name, needed
        waiting.extend(required for required in needed if required not in seen)
        seen.update(needed)


def _places(requires: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[int, int]]:
    """Column and row of each: what is required to the right, what stands alone at the bottom."""
    joined = {member for name, needed in requires.items() if needed for member in (name, *needed)}
    depths = {name: _depth(name, requires) for name in requires if name in joined}
    deepest = max(depths.values(), default=0)
    rows = [0] * (deepest + 1)
    places = {}
    for name, depth in sorted(depths.items(), key=lambda item: (-item[1], item[0])):
        column = deepest - depth
        places[name] = (column, rows[column])
        rows[column] += 1
    top = max(rows)
    for number, name in enumerate(sorted(set(requires) - joined)):
        row, column = divmod(number, _COLUMNS_OF_LONERS)
        places[name] = (column, top + row)
    return places


def _depth(name: str, requires: Mapping[str, tuple[str, ...]]) -> int:
    """The length of the longest way from *name* to what requires nothing."""
    return max((1 + _depth(required, requires) for required in requires[name]), default=0)


def _worst(name: str, findings: Collection[Finding]) -> Severity | None:
    word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    about = (
        finding.severity
        for finding in findings
        if word.search(f"{finding.where} {finding.message}")
    )
    return min(about, key=lambda severity: severity.rank, default=None)
