"""Our dataclasses are the standard library's, made in another way: one contract for both."""

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm import dataclass as ours
from tests.support.rows import with_rows

MANY = 300
"""More instances than a class may have before its `__init__` is compiled."""


def classes(library: Any, *, slots: bool) -> dict[str, type]:
    @library.dataclass(frozen=True, slots=slots)
    class Point:
        """A place."""

        KIND: ClassVar[str] = "point"

        x: int
        y: int = 2
        tags: list[str] = library.field(default_factory=list, compare=False)
        note: str = library.field(default="", repr=False)

        @property
        def both(self) -> tuple[int, int]:
            return self.x, self.y

    @library.dataclass(frozen=True, slots=slots, kw_only=True)
    class Named:
        name: str
        size: int = 0

    @library.dataclass(frozen=True, slots=slots)
    class Place(Named):
        latitude: float
        name: str

    @library.dataclass(frozen=True, slots=slots)
    class Plain:
        only: object

    @library.dataclass(slots=slots)
    class Counter:
        count: int = 0

    @library.dataclass(frozen=True, slots=slots)
    class Shown:
        value: int

        def __repr__(self) -> str:
            return "an open one"

    @library.dataclass(frozen=True, slots=slots)
    class Nothing:
        """Without fields."""

    found = (Point, Named, Place, Plain, Counter, Shown, Nothing)
    return {cls.__name__: cls for cls in found}


STANDARD = {slots: classes(dataclasses, slots=slots) for slots in (True, False)}
OURS = {slots: classes(ours, slots=slots) for slots in (True, False)}

CALLS = [
    pytest.param("Point", (1,), {}, id="defaults"),
    pytest.param("Point", (1, 3, ["a"], "b"), {}, id="all by position"),
    pytest.param("Point", (1,), {"note": "b", "y": 5}, id="position and name"),
    pytest.param("Point", (), {"x": 1}, id="by name"),
    pytest.param("Named", (), {"name": "n"}, id="keyword only"),
    pytest.param("Place", ("n", 1.5), {"size": 9}, id="inherited and said anew"),
    pytest.param("Place", ("n",), {"latitude": 1.5}, id="mixed"),
    pytest.param("Plain", (None,), {}, id="one field"),
    pytest.param("Counter", (), {}, id="not frozen"),
    pytest.param("Shown", (3,), {}, id="shown in its own way"),
    pytest.param("Nothing", (), {}, id="without fields"),
]


@pytest.mark.parametrize("slots", [True, False], ids=["slots", "no slots"])
@pytest.mark.parametrize("warm", [False, True], ids=["first", "after many"])
@pytest.mark.parametrize(("name", "given", "named"), CALLS)
def test_the_same_values(name: str, given: Any, named: Any, *, warm: bool, slots: bool) -> None:
    if warm:
        for _ in range(MANY):
            OURS[slots][name](*given, **named)
    ours_made, standard = OURS[slots][name](*given, **named), STANDARD[slots][name](*given, **named)
    assert dataclasses.asdict(ours_made) == dataclasses.asdict(standard)
    assert repr(ours_made) == repr(standard)
    assert ours_made.__match_args__ == standard.__match_args__
    assert ours_made == OURS[slots][name](*given, **named)
    assert ours_made != standard
    assert hasattr(ours_made, "__dict__") == hasattr(standard, "__dict__")
    assert copy.copy(ours_made) == ours_made


@pytest.mark.parametrize("slots", [True, False], ids=["slots", "no slots"])
@pytest.mark.parametrize("warm", [False, True], ids=["first", "after many"])
@with_rows
def test_the_same_mistakes(name: str, given: Any, named: Any, *, warm: bool, slots: bool) -> None:
    if warm:
        right = next(call.values for call in CALLS if call.values[0] == name)
        for _ in range(MANY):
            OURS[slots][name](*right[1], **right[2])
    for module in (OURS[slots], STANDARD[slots]):
        with pytest.raises(TypeError):
            module[name](*given, **named)


@pytest.mark.parametrize(
    "library",
    [OURS[True], OURS[False], STANDARD[True], STANDARD[False]],
    ids=["ours", "ours without slots", "standard", "standard without slots"],
)
class TestEither:
    def test_values_do_not_change(self, library: dict[str, Any]) -> None:
        point = library["Point"](1)
        with pytest.raises(AttributeError):
            point.x = 2
        with pytest.raises(AttributeError):
            del point.x
        with pytest.raises((AttributeError, TypeError)):
            point.other = 2
        counter = library["Counter"]()
        counter.count += 1
        assert counter.count == 1

    def test_factories_make_a_value_each(self, library: dict[str, Any]) -> None:
        first, second = library["Point"](1), library["Point"](1)
        first.tags.append("a")
        assert second.tags == []

    def test_what_is_equal_has_one_hash(self, library: dict[str, Any]) -> None:
        first, second = library["Point"](1, tags=["a"]), library["Point"](1, tags=["b"])
        assert first == second
        assert len({first, second}) == 1
        with pytest.raises(TypeError):
            hash(library["Counter"]())

    def test_replace(self, library: dict[str, Any]) -> None:
        point = library["Point"](1, note="n")
        replaces = [dataclasses.replace, *([ours.replace] if library in OURS.values() else [])]
        for replace in replaces:
            assert replace(point, y=9) == library["Point"](1, 9, note="n")
            with pytest.raises(TypeError):
                replace(point, z=1)

    def test_patterns(self, library: dict[str, Any]) -> None:
        match library["Point"](1, 5):
            case object(x=x, y=y):
                assert (x, y) == (1, 5)

    def test_what_the_standard_library_knows(self, library: dict[str, Any]) -> None:
        point = library["Point"]
        assert dataclasses.is_dataclass(point)
        assert [field.name for field in dataclasses.fields(point)] == ["x", "y", "tags", "note"]
        assert point.KIND == "point"
        assert point(3, 4).both == (3, 4)

    def test_a_default_that_can_change_is_refused(self, library: dict[str, Any]) -> None:
        decorate = ours.dataclass if library in OURS.values() else dataclasses.dataclass
        with pytest.raises(ValueError, match="default"):

            @decorate(frozen=True)
            class _Wrong:
                tags: list[str] = []  # noqa: RUF012


def test_slots_are_inherited_with_slots_only() -> None:
    with pytest.raises(TypeError, match="slots"):

        @ours.dataclass(frozen=True)
        class _Wrong(OURS[True]["Plain"]):  # type: ignore[misc]
            more: int


@ours.dataclass(frozen=True, slots=True)
class Kept:
    number: int
    text: str = ""


@ours.dataclass(frozen=True)
class Open:
    number: int
    text: str = ""


@pytest.mark.parametrize("kind", [Kept, Open])
@given(number=st.integers(), text=st.text())
def test_values_survive_being_stored(kind: Any, number: int, text: str) -> None:
    kept = kind(number, text)
    assert pickle.loads(pickle.dumps(kept)) == kept  # noqa: S301
    assert copy.deepcopy(kept) == kept


def test_a_frozen_one_says_so() -> None:
    with pytest.raises(AttributeError, match="cannot assign to field 'number'"):
        Kept(1).number = 2  # type: ignore[misc]
    assert issubclass(FrozenInstanceError, AttributeError)
