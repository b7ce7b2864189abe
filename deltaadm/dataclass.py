"""Immutable dataclasses whose methods are not generated code, and modules and files by name."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from operator import attrgetter

TYPE_CHECKING = False  # importing `typing` takes as long as describing all of Delta's features
if TYPE_CHECKING:
    from typing import Any, ClassVar, Never, dataclass_transform


_MANY = 100  # after so many instances it pays to compile an `__init__`

_MISSING: Any = object()
_set = object.__setattr__  # sets fields of an object, whether it is frozen or not
_bound = _set.__get__


class _Field:
    """The arguments of `field`: how the field gets a value, and where it counts."""

    default = default_factory = _MISSING
    compare = repr = True

    def __init__(self, **attributes: Any) -> None:
        self.__dict__ = attributes


class _Shape:
    """
    The fields of a class, as its methods need them.

    `names` tells of each whether it can be given by position; `arity` is their number where all
    can, and -1 elsewhere. `apart` are those that do not count where instances are compared,
    `unseen` those that are not shown.
    """

    __slots__ = (
        "apart", "arity", "defaults", "factories", "made", "names", "positional", "slots",
        "unseen", "values",
    )  # fmt: skip

    def __init__(self, parents: list[_Shape], fields: _Fields) -> None:
        self.names: dict[str, bool] = {}
        self.defaults: dict[str, Any] = {}
        self.factories: dict[str, Callable[[], Any]] = {}
        self.apart: set[str] = set()
        self.unseen: set[str] = set()
        self.slots, self.made = fields.slots, 0
        own = fields.own
        for base in parents:
            self.names |= base.names
            self.defaults |= {name: base.defaults[name] for name in base.defaults.keys() - own}
            self.factories |= {name: base.factories[name] for name in base.factories.keys() - own}
            self.apart |= base.apart - own.keys()
            self.unseen |= base.unseen - own.keys()
        self.names |= own
        for name, given in fields.given.items():
            if given.__class__ is not _Field:
                self.defaults[name] = given
                continue
            if given.default is not _MISSING:
                self.defaults[name] = given.default
            if given.default_factory is not _MISSING:
                self.factories[name] = given.default_factory
            if not given.compare:
                self.apart.add(name)
            if not given.repr:
                self.unseen.add(name)
        self.positional = tuple([name for name, placed in self.names.items() if placed])
        self.arity = len(self.names) if len(self.positional) == len(self.names) else -1
        counting = [name for name in self.names if name not in self.apart]
        self.values: Callable[[Any], tuple[Any, ...]] = (
            attrgetter(*counting)
            if len(counting) > 1
            else lambda value: tuple(getattr(value, name) for name in counting)
        )


class _Fields:
    """The fields that a class adds; half of all classes are never used, and need no `_Shape`."""

    def __init__(self, own: dict[str, bool], given: dict[str, Any], *, slots: bool) -> None:
        self.own, self.given, self.slots = own, given, slots

    def __get__(self, _instance: Any, owner: Any) -> _Shape:
        parents = [base.__shape__ for base in owner.__bases__ if base is not object]
        owner.__shape__ = shape = _Shape(parents, self)
        return shape


class _FrozenType(type):
    """Makes a class whose annotations are fields."""

    def __new__(
        cls,
        name: str,
        bases: tuple[Any, ...],
        content: dict[str, Any],
        *,
        slots: bool = False,
        kw_only: bool = False,
    ) -> Any:
        slots = slots or any(base.__dict__["__shape__"].slots for base in bases)
        own, given = {}, {}
        if "__slots__" not in content:
            for field_name, kind in content.get("__annotations__", {}).items():
                if "ClassVar" not in str(kind):
                    own[field_name] = not kw_only
                    if field_name in content:
                        given[field_name] = content[field_name]
            if slots:
                for field_name in given:
                    del content[field_name]
                inherited = {
                    name for base in bases for each in base.__mro__[:-1] for name in each.__slots__
                }
                content["__slots__"] = tuple([name for name in own if name not in inherited])
        content["__shape__"] = _Fields(own, given, slots=slots)
        # Methods that are set on a class later take Python longer than to make the class.
        if slots:
            for key, method in _SLOTS.items():
                content.setdefault(key, method)
        if "__eq__" in content:
            content.setdefault("__hash__", _hash)
        return super().__new__(cls, name, bases, content)

    @property
    def __match_args__(cls) -> tuple[str, ...]:
        names: tuple[str, ...] = cls.__shape__.positional  # type: ignore[attr-defined]  # as all have
        return names


def _init(self: Any, /, *given: Any, **named: Any) -> None:
    shape = self.__shape__
    if named or len(given) != shape.arity:
        _set(self, "__dict__", _values(shape, given, named))
        return
    # Not by `dict` and `zip`, whose calls take as long as half a dozen turns of this.
    names, number = shape.positional, 0
    for value in given:
        named[names[number]] = value
        number += 1  # noqa: SIM113 -- a call, too
    _set(self, "__dict__", named)


def _init_slots(self: Any, /, *given: Any, **named: Any) -> None:
    shape = self.__shape__
    shape.made += 1
    if shape.made == _MANY and self.__class__.__init__ is _init_slots:
        self.__class__.__init__ = _compiled_init(shape)
    if named or len(given) != shape.arity:
        values = _values(shape, given, named)
        _fill(self, values, values.values())
    else:
        _fill(self, shape.positional, given)


def _values(shape: _Shape, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """The values of all fields, of which some are *given* by position and some are *named*."""
    values = dict(zip(shape.positional, given)) | named  # noqa: B905 -- the rest is looked at next
    fits = len(values) == len(given) + len(named)
    values = shape.defaults | values
    for name, make in shape.factories.items():
        if name not in values:
            values[name] = make()
    if not fits or values.keys() != shape.names.keys():
        _compiled_init(shape)(None, *given, **named)  # raises `TypeError` in Python's own words
    return values


def _compiled_init(shape: _Shape) -> Any:
    """An `__init__` for one class, as the standard library would have written it."""
    known: dict[str, Any] = {"_bound": _bound, "_MISSING": _MISSING}
    body, positional = ["_put = _bound(self)"], ["self"]
    keywords: list[str] = []
    for number, (name, by_position) in enumerate(shape.names.items()):
        given, parameter = name, name
        if name in shape.defaults or name in shape.factories:
            known[f"_default{number}"] = shape.defaults.get(name, _MISSING)
            parameter = f"{name}=_default{number}"
        if name in shape.factories:
            known[f"_make{number}"] = shape.factories[name]
            given = f"_make{number}() if {name} is _MISSING else {name}"
        (positional if by_position else keywords).append(parameter)
        body.append(f"_put({name!r}, {given})")
    parameters = [*positional, *(["*", *keywords] if keywords else [])]
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body), known)  # noqa: S102
    return known["__init__"]


def _fill(value: Any, names: Iterable[str], values: Iterable[Any]) -> None:
    any(map(_bound(value), names, values))  # none of which is true: a loop without bytecode


def _repr(self: Any) -> str:
    shape = self.__shape__
    shown = (f"{name}={getattr(self, name)!r}" for name in shape.names if name not in shape.unseen)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = self.__shape__.values
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(self.__shape__.values(self))


def _refuse(_self: Any, name: str, *value: Any) -> Never:
    raise AttributeError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__shape__.names]


def _restore(self: Any, state: list[Any]) -> None:
    _fill(self, self.__shape__.names, state)


class _StandardFields:
    """The `__dataclass_fields__` of the standard library, made on demand."""

    def __get__(self, _instance: Any, owner: Any) -> Any:
        import dataclasses

        shape, described = owner.__shape__, []
        for name, by_position in shape.names.items():
            given: dict[str, Any] = {
                "compare": name not in shape.apart,
                "repr": name not in shape.unseen,
            }
            if name in shape.defaults:
                given["default"] = shape.defaults[name]
            if name in shape.factories:
                given["default_factory"] = shape.factories[name]
            standard: Any = dataclasses.field(kw_only=not by_position, **given)
            described.append((name, "Any", standard))
        twin: Any = dataclasses.make_dataclass(owner.__name__, described)
        return twin.__dataclass_fields__


_SLOTS: Any = {"__init__": _init_slots, "__getstate__": _state, "__setstate__": _restore}
"""The methods of classes with slots that are not those of others."""


class _Frozen(metaclass=_FrozenType):
    """
    The base of immutable values: the annotations of a class below it are the fields.

    As with `dataclasses`, they are given by position or name, may have defaults, and are what
    instances are compared by. `class Point(Frozen, slots=True)` gives instances, and those of
    classes below, no dictionary; `kw_only=True` takes the fields by name alone.
    """

    __slots__ = ()
    __init__ = _init
    __repr__ = _repr
    __eq__ = _eq
    __hash__ = _hash
    __setattr__ = _refuse
    __delattr__ = _refuse
    __dataclass_fields__ = _StandardFields()


def _replace(value: Any, /, **changes: Any) -> Any:
    shape = value.__shape__
    values = dict(zip(shape.names, _state(value), strict=True)) | changes
    if len(values) != len(shape.names):
        return value.__class__(**values)  # raises `TypeError` in Python's own words
    copy = value.__class__.__new__(value.__class__)
    _fill(copy, values, values.values())
    return copy


if TYPE_CHECKING:
    from dataclasses import field, replace

    @dataclass_transform(frozen_default=True, field_specifiers=(field,))
    class Frozen:
        """The same to a type checker."""

        __dataclass_fields__: ClassVar[dict[str, Any]]

        def __init_subclass__(cls, *, slots: bool = False, kw_only: bool = False) -> None: ...

else:
    Frozen, field, replace = _Frozen, _Field, _replace

__all__ = ["Frozen", "field", "replace"]


# Importing what is named


def import_module(name: str) -> Any:
    """
    The module called *name* in full.

    The standard library's function of this name does the same, but to import `importlib`, which
    imports `warnings`, takes a hundredth of the instructions of `inspect` on ten commits.
    """
    __import__(name)
    return sys.modules[name]


def named(place: str) -> Any:
    """What *place* names, a module in full and something in it."""
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


def text_beside(module: str, name: str) -> str:
    """The text of the file *name* in the directory of *module*, or in its archive."""
    # Spark's executors import deltaadm from an archive, which only its loader can read.
    found: Any = sys.modules[module]
    path = os.path.join(os.path.dirname(found.__file__), name)  # noqa: PTH118, PTH120 -- slow
    text: str = found.__loader__.get_data(path).decode()
    return text
