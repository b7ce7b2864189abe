"""
Dataclasses whose methods are not generated code.

The standard library's decorator compiles half a dozen methods for every class, and imports
`inspect` to do so: for the values that describe Delta this takes longer than inspecting a table.
Here the methods are closures over the fields' names; only a class of which many instances are
made gets an `__init__` compiled for it.

To type checkers these are the standard dataclasses, whose meaning they keep; only what deltaadm
uses of them exists. The standard `fields`, `replace` and `asdict` accept them.
"""

from __future__ import annotations

from itertools import pairwise
from operator import attrgetter

TYPE_CHECKING = False  # importing `typing` takes as long as describing all of Delta's features
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Never

_MANY = 100
"""After so many instances it pays to compile an `__init__`."""

_put = object.__setattr__


class _Missing:
    """Marks a field that has no default."""


_MISSING = _Missing()


class _Field:
    """What is said about a field: its name, how it gets a value and where it counts."""

    __slots__ = ("compare", "default", "default_factory", "keyword", "name", "repr")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        compare: bool = True,
        repr: bool = True,  # noqa: A002 -- the standard library's name
    ) -> None:
        self.default, self.default_factory = default, default_factory
        self.compare, self.repr = compare, repr
        self.name, self.keyword = "", False

    @property
    def optional(self) -> bool:
        """Whether an instance can be made without a value for it."""
        return self.default is not _MISSING or self.default_factory is not _MISSING


def _replace(value: Any, /, **changes: Any) -> Any:
    for one in value.__fields__:
        if one.name not in changes:
            changes[one.name] = getattr(value, one.name)
    return value.__class__(**changes)


def _dataclass(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type], type]:
    def build(cls: type) -> type:
        own = _own_fields(cls, keyword=kw_only)
        inherited = {
            one.name: one
            for base in reversed(cls.__mro__[1:])
            for one in base.__dict__.get("__fields__", ())
        }
        every = tuple({**inherited, **own}.values())
        _require_order([one for one in every if not one.keyword])
        said = cls.__dict__
        attributes = {
            name: attribute
            for name, attribute in _attributes(every, frozen=frozen).items()
            if said.get(name) is None
        }
        if slots:
            return _with_slots(cls, own, [one for one in own if one not in inherited], attributes)
        for name, one in own.items():
            if one.default is not _MISSING:
                attributes[name] = one.default
            elif name in said:
                delattr(cls, name)
        for name, attribute in attributes.items():
            setattr(cls, name, attribute)
        return cls

    return build


def _own_fields(cls: type, *, keyword: bool) -> dict[str, _Field]:
    """The fields that the class's body names."""
    found = {}
    for name, annotation in cls.__dict__.get("__annotations__", {}).items():  # noqa: RUF063
        if "ClassVar" in str(annotation).partition("[")[0]:
            continue
        said = cls.__dict__.get(name, _MISSING)
        one = found[name] = said if isinstance(said, _Field) else _Field(default=said)
        one.name, one.keyword = name, keyword
        if one.default.__class__.__hash__ is None:
            raise ValueError(f"{cls.__name__}.{name} needs a factory: its default can change")
    return found


def _require_order(positional: Sequence[_Field]) -> None:
    for before, one in pairwise(positional):
        if before.optional and not one.optional:
            raise TypeError(f"{one.name!r} without a default follows {before.name!r} with one")


def _with_slots(
    cls: type, fields: Iterable[str], slots: Iterable[str], attributes: Mapping[str, Any]
) -> type:
    """The class made anew with *slots*, which an existing class cannot be given."""
    left_out = {*fields, "__dict__", "__weakref__"}
    content = {name: one for name, one in cls.__dict__.items() if name not in left_out}
    content.update(attributes, __slots__=tuple(slots), __qualname__=cls.__qualname__)
    return type(cls)(cls.__name__, cls.__bases__, content)


def _attributes(fields: tuple[_Field, ...], *, frozen: bool) -> dict[str, Any]:
    names = tuple(one.name for one in fields)
    values = _getter([one.name for one in fields if one.compare])
    attributes = {
        "__fields__": fields,
        "__dataclass_fields__": _StandardFields(),
        "__match_args__": tuple(one.name for one in fields if not one.keyword),
        "__init__": _init(fields),
        "__repr__": _repr([one.name for one in fields if one.repr]),
        "__eq__": _eq(values),
        "__hash__": None,
    }
    if frozen:
        attributes |= {
            "__hash__": lambda self: hash(values(self)),
            "__setattr__": _refuse_to_set,
            "__delattr__": _refuse_to_delete,
            "__getstate__": lambda self: [getattr(self, name) for name in names],
            "__setstate__": lambda self, state: _fill(self, names, state),
        }
    return attributes


def _init(fields: tuple[_Field, ...]) -> Callable[..., None]:
    names = tuple(one.name for one in fields)
    positional = tuple(one.name for one in fields if not one.keyword)
    defaults = {one.name: one.default for one in fields if one.default is not _MISSING}
    factories = {
        one.name: one.default_factory for one in fields if one.default_factory is not _MISSING
    }
    made = 0

    def __init__(self: Any, *given: Any, **named: Any) -> None:  # noqa: N807
        nonlocal made
        made += 1
        if made == _MANY and self.__class__.__init__ is __init__:
            self.__class__.__init__ = _compiled_init(fields)
        if len(given) == len(positional) == len(names) and not named:
            _fill(self, names, given)
            return
        values = {**defaults, **named}
        values.update(zip(positional, given, strict=False))
        for name, make in factories.items():
            if name not in values:
                values[name] = make()
        twice = given and named and not named.keys().isdisjoint(positional[: len(given)])
        if twice or len(given) > len(positional) or len(values) != len(names):
            raise TypeError(_mistake(self.__class__, fields, given, named))
        try:
            for name in names:
                _put(self, name, values[name])
        except KeyError:
            raise TypeError(_mistake(self.__class__, fields, given, named)) from None

    return __init__


def _mistake(
    cls: type, fields: Iterable[_Field], given: Sequence[Any], named: Mapping[str, Any]
) -> str:
    """What is wrong with the arguments of a call."""
    positional = [one.name for one in fields if not one.keyword]
    if len(given) > len(positional):
        return f"{cls.__qualname__} takes {len(positional)} positional arguments at most"
    rest = {one.name: one for one in fields if one.name not in positional[: len(given)]}
    if strange := [name for name in named if name not in rest]:
        return f"{cls.__qualname__} got unexpected arguments: {', '.join(strange)}"
    missing = [name for name, one in rest.items() if name not in named and not one.optional]
    return f"{cls.__qualname__} is missing the arguments: {', '.join(missing)}"


def _compiled_init(fields: tuple[_Field, ...]) -> Any:
    """What `_init` makes, as the standard library would have written it."""
    known: dict[str, Any] = {"_put": _put, "_MISSING": _MISSING}
    parameters, body = ["self"], []
    for number, one in enumerate(sorted(fields, key=lambda one: one.keyword)):
        if one.keyword and "*" not in parameters:
            parameters.append("*")
        given = one.name
        if one.optional:
            known[f"_default{number}"] = _MISSING if one.default is _MISSING else one.default
            known[f"_value{number}"] = one.default_factory
            parameters.append(f"{one.name}=_default{number}")
            if one.default is _MISSING:
                given = f"_value{number}() if {one.name} is _MISSING else {one.name}"
        else:
            parameters.append(one.name)
        body.append(f" _put(self, {one.name!r}, {given})")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(body or [" pass"]), known)  # noqa: S102
    return known["__init__"]


def _repr(names: Iterable[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:  # noqa: N807
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def _eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _getter(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function from an object to the tuple of its values."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _fill(value: Any, names: Iterable[str], values: Iterable[Any]) -> None:
    for name, one in zip(names, values, strict=True):
        _put(value, name, one)


def _refuse_to_set(_self: Any, name: str, _value: Any) -> Never:
    raise AttributeError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: Any, name: str) -> Never:
    raise AttributeError(f"cannot delete field {name!r}")


class _StandardFields:
    """What the standard library knows a dataclass by; made when somebody asks for it."""

    def __get__(self, _instance: Any, owner: type) -> Mapping[str, Any]:
        import dataclasses

        twin = dataclasses.make_dataclass(
            owner.__name__,
            [(one.name, "Any", _standard(one)) for one in owner.__fields__],  # type: ignore[attr-defined]
        )
        described: Mapping[str, Any] = twin.__dataclass_fields__  # type: ignore[attr-defined]
        owner.__dataclass_fields__ = described  # type: ignore[attr-defined]
        return described


def _standard(one: _Field) -> Any:
    import dataclasses

    kinds = {"default": one.default, "default_factory": one.default_factory}
    given: dict[str, Any] = {kind: said for kind, said in kinds.items() if said is not _MISSING}
    return dataclasses.field(**given, compare=one.compare, repr=one.repr, kw_only=one.keyword)


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    dataclass, field, replace = _dataclass, _Field, _replace

__all__ = ["dataclass", "field", "replace"]
