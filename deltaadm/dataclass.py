"""
Dataclasses whose methods are not generated code.

The standard library's decorator compiles half a dozen methods for every class, and imports
`inspect` to do so: for the values that describe Delta this takes longer than inspecting a table.
Here all classes share their methods, which go by the shape of the class; only a class of which
many instances are made gets an `__init__` compiled for it. To compile each at its first instance
would be shorter by little, and costs every command more than a twentieth of its instructions.

To type checkers these are the standard dataclasses, whose meaning they keep; only what deltaadm
uses of them exists. The standard `fields`, `replace` and `asdict` accept them.
"""

from __future__ import annotations

from itertools import repeat
from operator import attrgetter

TYPE_CHECKING = False  # importing `typing` takes as long as describing all of Delta's features
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Never

_MANY = 100
"""After so many instances it pays to compile an `__init__`."""

_MISSING: Any = object()
_put = object.__setattr__


class _Field:
    """What is said about a field: how it gets a value, and where it counts."""

    default = default_factory = _MISSING
    compare = repr = True
    kw_only = False

    def __init__(self, **attributes: Any) -> None:
        self.__dict__ = attributes


class _Shape:
    """The fields of a class, as its methods need them."""

    __slots__ = (
        *("defaults", "everything", "factories", "fields", "made", "names", "positional", "values"),
    )

    def __init__(self, fields: dict[str, _Field]) -> None:
        self.fields = fields
        self.names = tuple(fields)
        self.defaults: dict[str, Any] = {}
        self.factories: dict[str, Callable[[], Any]] = {}
        self.made = 0
        positional: list[str] = []
        compared: list[str] = []
        for name, field in fields.items():
            if field.default is not _MISSING:
                self.defaults[name] = field.default
            elif field.default_factory is not _MISSING:
                self.factories[name] = field.default_factory
            elif not field.kw_only and any(map(self.is_optional, positional)):
                raise TypeError(f"{name!r} without a default follows one with a default")
            if not field.kw_only:
                positional.append(name)
            if field.compare:
                compared.append(name)
        self.positional = tuple(positional)
        self.values = _getter(compared)
        self.everything = self.values if len(compared) == len(fields) else _getter([*fields])

    def is_optional(self, name: str) -> bool:
        """Whether an instance can be made without a value for the field."""
        return name in self.defaults or name in self.factories


def _getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function from an object to the tuple of its values."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _dataclass(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type], type]:
    methods = _FROZEN if frozen else _METHODS

    def build(cls: type) -> type:
        body = cls.__dict__
        fields: dict[str, _Field] = {}
        for base in cls.__mro__[:0:-1]:
            if "__shape__" in base.__dict__:
                fields |= base.__shape__.fields  # type: ignore[attr-defined]
        inherited = set(fields)
        own = _own_fields(cls, kw_only=kw_only)
        fields |= own
        shape = _Shape(fields)
        content = {**methods, **body, "__shape__": shape, "__match_args__": shape.positional}
        if content["__hash__"] is None:  # as Python has it where there is an `__eq__`
            content["__hash__"] = methods["__hash__"]
        for name in (*own, "__dict__", "__weakref__"):
            content.pop(name, None)
        content["__qualname__"] = cls.__qualname__
        if slots:
            content["__slots__"] = tuple(name for name in own if name not in inherited)
        return type(cls)(cls.__name__, cls.__bases__, content)

    return build


def _own_fields(cls: type, *, kw_only: bool) -> dict[str, _Field]:
    """The fields that the class's body names."""
    body, found = cls.__dict__, {}
    for name, annotation in body.get("__annotations__", {}).items():
        if str(annotation).removeprefix("typing.").startswith("ClassVar"):
            continue
        given = body.get(name, _MISSING)
        if given is _MISSING:
            found[name] = _REQUIRED[kw_only]
        elif isinstance(given, _Field):
            found[name] = given
            given.__dict__["kw_only"] = kw_only
        elif given.__class__.__hash__ is None:
            raise ValueError(f"{cls.__name__}.{name} needs a factory: its default can change")
        else:
            found[name] = _Field(default=given, kw_only=kw_only)
    return found


_REQUIRED = (_Field(), _Field(kw_only=True))


def _init(self: Any, *given: Any, **named: Any) -> None:
    shape = self.__shape__
    shape.made += 1
    if shape.made == _MANY and self.__class__.__init__ is _init:
        self.__class__.__init__ = _compiled_init(shape)
    names, positional = shape.names, shape.positional
    if len(given) == len(names) == len(positional) and not named:
        _fill(self, names, given)
        return
    values = {**shape.defaults, **dict(zip(positional, given, strict=False)), **named}
    for name, make in shape.factories.items():
        if name not in values:
            values[name] = make()
    twice = given and named and not named.keys().isdisjoint(positional[: len(given)])
    if twice or len(given) > len(positional) or values.keys() != shape.fields.keys():
        _compiled_init(shape)(self, *given, **named)  # raises `TypeError` in Python's own words
    _fill(self, values, values.values())


def _compiled_init(shape: _Shape) -> Any:
    """What `_init` does for one class, as the standard library would have written it."""
    known: dict[str, Any] = {"_put": _put, "_MISSING": _MISSING}
    body, positional = ["pass"], ["self"]
    keywords: list[str] = []
    for number, (name, field) in enumerate(shape.fields.items()):
        given, parameter = name, name
        if shape.is_optional(name):
            known[f"_default{number}"] = field.default
            known[f"_make{number}"] = field.default_factory
            parameter = f"{name}=_default{number}"
        if name in shape.factories:
            given = f"_make{number}() if {name} is _MISSING else {name}"
        (keywords if field.kw_only else positional).append(parameter)
        body.append(f"_put(self, {name!r}, {given})")
    parameters = [*positional, *(["*", *keywords] if keywords else [])]
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body), known)  # noqa: S102
    return known["__init__"]


def _fill(value: Any, names: Iterable[str], values: Iterable[Any]) -> None:
    any(map(_put, repeat(value), names, values))  # none of which is true: a loop without bytecode


def _repr(self: Any) -> str:
    fields = self.__shape__.fields.items()
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name, field in fields if field.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = self.__shape__.values
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(self.__shape__.values(self))


def _refuse_to_set(_self: Any, name: str, _value: Any) -> Never:
    raise AttributeError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: Any, name: str) -> Never:
    raise AttributeError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__shape__.names]


def _restore(self: Any, state: list[Any]) -> None:
    _fill(self, self.__shape__.names, state)


class _StandardFields:
    """What the standard library knows a dataclass by; made when somebody asks for it."""

    def __get__(self, _instance: Any, owner: Any) -> Any:
        import dataclasses

        fields: dict[str, _Field] = owner.__shape__.fields
        described = [
            (name, "Any", dataclasses.field(**_standard(field))) for name, field in fields.items()
        ]
        twin = dataclasses.make_dataclass(owner.__name__, described)
        owner.__dataclass_fields__ = twin.__dataclass_fields__  # type: ignore[attr-defined]
        return owner.__dataclass_fields__


def _standard(field: _Field) -> dict[str, Any]:
    return {name: value for name, value in vars(field).items() if value is not _MISSING}


_METHODS = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": None,
    "__dataclass_fields__": _StandardFields(),
}
_FROZEN = {
    **_METHODS,
    "__hash__": _hash,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    "__getstate__": _state,
    "__setstate__": _restore,
}


def _replace(value: Any, /, **changes: Any) -> Any:
    shape = value.__shape__
    values = dict(zip(shape.names, shape.everything(value), strict=True))
    values.update(changes)
    if len(values) != len(shape.names):
        return value.__class__(**values)  # raises `TypeError` in Python's own words
    made = value.__class__.__new__(value.__class__)
    _fill(made, values, values.values())
    return made


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    dataclass, field, replace = _dataclass, _Field, _replace

__all__ = ["dataclass", "field", "replace"]
