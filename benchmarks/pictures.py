"""Line charts as SVG, both axes logarithmic, in colours that a dark page can show too."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 720, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 210, 44, 50
_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def chart(title: str, across: str, up: str, lines: Mapping[str, Points]) -> str:
    """An SVG document: a line with dots for each name, its name at its end."""
    every = [point for points in lines.values() for point in points]
    x = _Axis([a for a, _ in every], _LEFT, _WIDTH - _RIGHT)
    y = _Axis([b for _, b in every], _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="12" role="img" aria-label="{escape(title)}">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="24" font-size="15" fill="#222222">{escape(title)}</text>',
        *_grid(x, y),
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 12}" text-anchor="middle" '
        f'fill="#444444">{escape(across)}</text>',
        f'<text x="16" y="{_HEIGHT / 2}" text-anchor="middle" fill="#444444" '
        f'transform="rotate(-90 16 {_HEIGHT / 2})">{escape(up)}</text>',
    ]
    labels = _spaced({name: y.place(points[-1][1]) for name, points in lines.items()})
    for (name, points), color in zip(lines.items(), _COLORS, strict=False):
        parts += _line(name, [(x.place(a), y.place(b)) for a, b in points], color, labels[name])
    return "\n".join([*parts, "</svg>", ""])


class _Axis:
    """Places of values between *start* and *end*, by their logarithms."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._low = math.floor(math.log10(min(values)))
        self._high = max(math.ceil(math.log10(max(values))), self._low + 1)
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return round(self._start + share * (self._end - self._start), 1)

    @property
    def ticks(self) -> list[int]:
        return [10**power if power >= 0 else 0 for power in range(self._low, self._high + 1)]


def _grid(x: _Axis, y: _Axis) -> list[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    found = []
    for tick in filter(None, x.ticks):
        at = x.place(tick)
        found.append(f'<path d="M{at} {_TOP}V{bottom}" stroke="#dddddd"/>')
        found.append(
            f'<text x="{at}" y="{bottom + 18}" text-anchor="middle" fill="#444444">{tick:,}</text>'
        )
    for tick in filter(None, y.ticks):
        at = y.place(tick)
        found.append(f'<path d="M{_LEFT} {at}H{right}" stroke="#dddddd"/>')
        found.append(
            f'<text x="{_LEFT - 8}" y="{at + 4}" text-anchor="end" fill="#444444">{tick:,}</text>'
        )
    return found


def _line(name: str, places: Sequence[tuple[float, float]], color: str, label: float) -> list[str]:
    path = "L".join(f"{a} {b}" for a, b in places)
    dots = [f'<circle cx="{a}" cy="{b}" r="3" fill="{color}"/>' for a, b in places]
    end = places[-1][0]
    return [
        f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"/>',
        *dots,
        f'<text x="{end + 10}" y="{label + 4}" fill="{color}">{escape(name)}</text>',
    ]


def _spaced(wanted: Mapping[str, float], distance: float = 15) -> dict[str, float]:
    """Heights for labels, near those wanted and without overlap."""
    found: dict[str, float] = {}
    lowest = -math.inf
    for name, height in sorted(wanted.items(), key=lambda pair: pair[1]):
        lowest = max(height, lowest + distance)
        found[name] = lowest
    return found
