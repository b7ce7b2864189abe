"""The lines of a commit that is too large to be held, for rules that look at all of them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.facts.facts import first_object
from deltaadm.replay.commits import ABOUT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from deltaadm.domain.facts.facts import Line
    from deltaadm.replay.commits import LargeFile

_MOST_NAMES: Final = (1 << 16) - 1
"""The number of action names that are counted separately; further ones count under the last one."""


class StoredLines:
    """
    A `LargeLines` over *file*; *read* makes a line of its number and bytes.

    One pass finds what is asked for most often: names, errors, and the actions that are not about
    files, as long as there are few of them. Raises what reading the file raises.
    """

    def __init__(self, file: LargeFile, read: Callable[[int, bytes], Line], most: int) -> None:
        self._file = file
        self._read = read
        self._count = 0
        self._last: tuple[Line, ...] = ()
        self._codes: dict[str, int] = {}
        self._order = array("H")
        self._counts: Counter[str] = Counter()
        self._kept: dict[str, list[Any]] | None = {}
        self.has_errors = False
        self.plain = True
        kept = 0
        for number, text in file.numbered():
            line = read(number, text)
            self._note(line)
            if any(name not in ABOUT_FILES for name, _ in line.actions):
                kept += len(text)
            if kept > most:
                self._kept = None

    def _note(self, line: Line) -> None:
        self._count += 1
        self._last = (line,)
        self.has_errors = self.has_errors or bool(line.error)
        self.plain = self.plain and not (line.error or line.odd) and len(line.actions) == 1
        for name, value in line.actions:
            # Two bytes for each action: the file may have millions of them.
            code = self._codes.setdefault(name, min(len(self._codes), _MOST_NAMES))
            self._order.append(code)
            self._counts[name] += 1
            if self._kept is not None and name not in ABOUT_FILES:
                self._kept.setdefault(name, []).append(value)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Line]:
        return (self._read(number, text) for number, text in self._file.numbered())

    def __getitem__(self, index: slice) -> tuple[Line, ...]:
        return self._last[index]

    @property
    def names(self) -> Iterable[str]:
        """See `LargeLines`."""
        known = {code: name for name, code in self._codes.items()}
        return (known[code] for code in self._order)

    @property
    def info(self) -> Mapping[str, Any]:
        """See `LargeLines`."""
        return first_object(self.actions("commitInfo"))

    def actions(self, name: str) -> Collection[Any]:
        """See `LargeLines`."""
        if self._kept is not None and name not in ABOUT_FILES:
            return tuple(self._kept.get(name, ()))
        return _Actions(self, name, self._counts[name])


class _Actions(Collection[Any]):
    """The actions of one name, read from the file whenever somebody iterates."""

    def __init__(self, lines: Iterable[Line], name: str, count: int) -> None:
        self._lines = lines
        self._name = name
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __contains__(self, value: object) -> bool:
        return any(value == action for action in self)

    def __iter__(self) -> Iterator[Any]:
        lines = self._lines if self._count else ()
        return (value for line in lines for name, value in line.actions if name == self._name)
