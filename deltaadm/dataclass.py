"""Dataclasses whose methods are not generated code, and modules and their files by name."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from operator import attrgetter

TYPE_CHECKING = False  # importing `typing` takes as long as describing all of Delta's features
if TYPE_CHECKING:
    from typing import Any, Never


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
    can, and -1 elsewhere. `described` has what `field` says of some, from which `factories` follow,
    and those that do not count where instances are compared, `apart`, or are not shown, `unseen`.
    """

    __slots__ = (
        "apart", "arity", "defaults", "described", "factories", "made", "names", "positional",
        "slots", "unseen", "values",
    )  # fmt: skip

    def __init__(self, cls: type, *, by_position: bool, slots: bool) -> None:
        """The fields of *cls*: those of its bases, and its own with their defaults."""
        self.names: dict[str, bool] = {}
        self.defaults: dict[str, Any] = {}
        self.described: dict[str, _Field] = {}
        self.slots, self.made = slots, 0
        content = cls.__dict__
        own = content.get("__annotations__", {})
        for parent in cls.__mro__[-2:0:-1]:
            base = parent.__dict__.get("__shape__")
            if base is None:
                continue
            if base.slots and not slots:
                raise TypeError("what inherits from a class with slots needs slots as well")
            self.names |= base.names
            self.defaults |= {name: base.defaults[name] for name in base.defaults.keys() - own}
            self.described |= {name: base.described[name] for name in base.described.keys() - own}
        for name, kind in own.items():
            if "ClassVar" in str(kind):
                continue
            self.names[name] = by_position
            given = content.get(name, _MISSING)
            if given.__class__ is _Field:
                self.described[name], given = given, given.default
            elif given.__class__.__hash__ is None:
                raise ValueError(f"{name!r} needs a factory: its default can change")
            if given is not _MISSING:
                self.defaults[name] = given
        described = self.described.items()
        made = {name: field.default_factory for name, field in described}
        self.factories = {name: make for name, make in made.items() if make is not _MISSING}
        self.apart = {name for name, field in described if not field.compare}
        self.unseen = {name for name, field in described if not field.repr}
        self.positional = tuple([name for name, placed in self.names.items() if placed])
        self.arity = len(self.names) if len(self.positional) == len(self.names) else -1
        counting = [name for name in self.names if name not in self.apart]
        self.values: Callable[[Any], tuple[Any, ...]] = (
            attrgetter(*counting)
            if len(counting) > 1
            else lambda value: tuple(getattr(value, name) for name in counting)
        )


def _dataclass(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type], type]:
    methods = {**_METHODS, **(_FROZEN if frozen else {}), **(_SLOTS if slots else {})}

    def build(cls: type) -> type:
        shape, content = _Shape(cls, by_position=not kw_only, slots=slots), cls.__dict__
        added = {**methods, "__shape__": shape, "__match_args__": shape.positional}
        for name in methods.keys() & content.keys():
            if content[name] is not None:  # as Python has `__hash__` where there is an `__eq__`
                del added[name]
        if slots:  # the same class made again
            left_out = {*shape.names, "__dict__", "__weakref__"}
            kept = {name: value for name, value in content.items() if name not in left_out}
            bases = cls.__mro__[1:]
            known = {name for base in bases for name in base.__dict__.get("__slots__", ())}
            kept["__slots__"] = tuple([name for name in shape.names if name not in known])
            kept["__qualname__"] = cls.__qualname__
            return type(cls)(cls.__name__, cls.__bases__, {**kept, **added})
        for name in shape.described:
            if content.get(name).__class__ is _Field:  # which bases have taken away
                delattr(cls, name)
        for name, given in added.items():
            setattr(cls, name, given)
        return cls

    return build


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
    values, taken = shape.defaults | named, shape.positional[: len(given)]
    fits = len(taken) == len(given)
    for name in named:
        fits = fits and name in shape.names and name not in taken
    for name, value in zip(taken, given):  # noqa: B905 -- to say `strict` takes a quarter longer
        values[name] = value
    for name, make in shape.factories.items():
        if name not in values:
            values[name] = make()
    if not fits or len(values) != len(shape.names):
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
    """The `__dataclass_fields__` of the standard library, without defaults, made on demand."""

    def __get__(self, _instance: Any, owner: Any) -> Any:
        import dataclasses

        twin: Any = dataclasses.make_dataclass(owner.__name__, owner.__shape__.names)
        owner.__dataclass_fields__ = twin.__dataclass_fields__
        return owner.__dataclass_fields__


_METHODS: Any = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": None,
    "__dataclass_fields__": _StandardFields(),
}
_FROZEN = {"__hash__": _hash, "__setattr__": _refuse, "__delattr__": _refuse}
_SLOTS = {"__init__": _init_slots, "__getstate__": _state, "__setstate__": _restore}
"""The methods that a class gets, those of one that is frozen, and those of one with slots."""


def _replace(value: Any, /, **changes: Any) -> Any:
    shape = value.__shape__
    values = dict(zip(shape.names, _state(value), strict=True)) | changes
    if len(values) != len(shape.names):
        return value.__class__(**values)  # raises `TypeError` in Python's own words
    copy = value.__class__.__new__(value.__class__)
    _fill(copy, values, values.values())
    return copy


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    dataclass, field, replace = _dataclass, _Field, _replace

__all__ = ["dataclass", "field", "replace"]


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
