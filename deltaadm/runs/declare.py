"""
What commands take, as data: arguments, options and groups of options.

A class that inherits from `Parameters` declares a field for each of them; an instance holds what
one command line says. The parser, the help, the settings and the completion are all made from these
declarations, which import nothing that is slow to import.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, ClassVar, Final, Self


if TYPE_CHECKING:
    from typing import dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        """Tell type checkers what a class of parameters is made of."""
        return lambda kind: kind


COMMON: Final = "common"
OWN: Final = "own"
NEVER: Final = "never"


class Declared:
    """
    An argument or an option.

    `names` are those on the command line, empty for an argument; `metavar` is what the help calls
    the value. `kind` is the text of the field's annotation, from which everything about the value
    follows: `is_switch`, `is_list`, `is_pair` and `type_name`. `scope` says where settings may set
    it: COMMON for all commands at once, OWN for each command in its section, NEVER.
    """

    __slots__ = (
        "any_case", "counted", "default", "field", "help", "kind", "metavar", "minimum", "names",
        "owner", "required", "scope",
    )  # fmt: skip

    def __init__(
        self,
        names: tuple[str, ...] | None,
        *,
        metavar: str,
        help: str,  # noqa: A002
        default: Any,
        minimum: int | None = None,
        any_case: bool = False,
        counted: bool = False,
        scope: str = "",
    ) -> None:
        self.counted = counted
        self.scope = scope
        self.names = names or ()
        self.metavar = metavar
        self.help = help
        self.default = default
        self.minimum = minimum
        self.any_case = any_case
        self.field = ""
        self.kind = ""
        self.owner = ""
        self.required = False

    @property
    def is_argument(self) -> bool:
        """Whether it stands on the command line without a name."""
        return not self.names

    @property
    def names_tables(self) -> bool:
        """Whether its value is a table, or may be one, for which an alias may stand."""
        return self.metavar == "TABLE" or (self.is_argument and "TABLE" in self.metavar)

    @property
    def key(self) -> str:
        """Its name in settings."""
        return max(self.names, key=len).removeprefix("--")

    @property
    def is_switch(self) -> bool:
        """Whether it takes no value."""
        return self.counted or self.kind == "bool"

    @property
    def is_list(self) -> bool:
        """Whether it may be given several times."""
        return self.kind.startswith("list[")

    @property
    def is_pair(self) -> bool:
        """Whether it takes two values."""
        return self.kind.startswith("tuple[")

    @property
    def type_name(self) -> str:
        """The type of a value: str, int, Path, or the name of an enumeration."""
        return self.kind.removesuffix(" | None").removeprefix("list[").removesuffix("]")

    @property
    def choices(self) -> dict[str, Any]:
        """The values that it can have, by their words; none where any text or number will do."""
        if self.is_pair or self.is_switch or self.type_name in {"str", "int", "Path"}:
            return {}
        enumeration = getattr(sys.modules[self.owner], self.type_name)
        return {member.value: member for member in enumeration}

    def convert(self, text: str) -> Any:
        """The value that *text* stands for; raises `ValueError`, which says what is wrong."""
        kind = self.type_name
        if kind == "str":
            return text
        if kind == "Path":
            from pathlib import Path

            return Path(text)
        if kind == "int":
            try:
                number = int(text)
            except ValueError:
                raise ValueError(f"{text!r} is not a number") from None
            if self.minimum is not None and number < self.minimum:
                raise ValueError(f"{number} is less than {self.minimum}")
            return number
        choices = self.choices
        word = text.lower() if self.any_case else text
        if word not in choices:
            raise ValueError(f"{text!r} is not one of {', '.join(map(repr, choices))}")
        return choices[word]


def option(
    *names: str,
    metavar: str = "",
    help: str,  # noqa: A002
    default: Any = None,
    minimum: int | None = None,
    counted: bool = False,
    scope: str = "",
) -> Any:
    """
    An option; it is called like its field if no *names* are given.

    One that is *counted* is a switch that says more the more often it is given. Its *scope* is that
    of its group if it has none.
    """
    return Declared(
        names or ("",),
        metavar=metavar,
        help=help,
        default=default,
        minimum=minimum,
        counted=counted,
        scope=scope,
    )


def argument(
    *,
    metavar: str,
    help: str,  # noqa: A002
    default: Any = None,
    any_case: bool = False,
) -> Any:
    """An argument; one whose annotation does not allow None has to be given."""
    return Declared(None, metavar=metavar, help=help, default=default, any_case=any_case)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Parameters:
    """
    What a command takes, or a group of options that several commands take.

    A field without a declaration is a group. An instance holds values; what is not given has its
    default. A class below another one takes what that takes as well.
    """

    fields: ClassVar[dict[str, Declared | type[Parameters]]] = {}
    heading: ClassVar[str] = ""
    """The heading of the help above the options of a group."""
    scope: ClassVar[str] = OWN
    """The settings that may set the options of a group, unless an option names its own."""

    def __init_subclass__(cls) -> None:
        cls.fields = dict(cls.fields)
        for name, kind in cls.__annotations__.items():
            declared = cls.__dict__.get(name)
            if not isinstance(declared, Declared):
                cls.fields[name] = getattr(sys.modules[cls.__module__], kind)
                continue
            declared.field, declared.kind, declared.owner = name, kind, cls.__module__
            declared.scope = declared.scope or cls.scope
            if declared.names == ("",):
                declared.names = (f"--{name.replace('_', '-')}",)
            if declared.counted:
                declared.default = 0
            elif declared.is_switch:
                declared.default = False
            declared.required = declared.default is None and not kind.endswith("| None")
            cls.fields[name] = declared

    def __init__(self, **values: Any) -> None:
        for name, field in type(self).fields.items():
            if name in values:
                value = values.pop(name)
            else:
                value = field.default if isinstance(field, Declared) else field()
            setattr(self, name, value)
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def replaced(self, **values: Any) -> Self:
        """The same with other *values* for some fields."""
        return type(self)(**{**vars(self), **values})

    @classmethod
    def declared(cls) -> Iterator[Declared]:
        """All arguments and options, those of groups in the groups' places."""
        for field in cls.fields.values():
            if isinstance(field, Declared):
                yield field
            else:
                yield from field.declared()

    @classmethod
    def sections(cls, heading: str = "") -> Iterator[tuple[str, Declared]]:
        """The same, each with the heading that the help puts above it."""
        heading = cls.heading or heading
        for field in cls.fields.values():
            if isinstance(field, Declared):
                yield heading, field
            else:
                yield from field.sections(heading)

    @classmethod
    def of(cls, values: dict[str, Any]) -> Parameters:
        """The parameters, of whose groups *values* has the fields as well; the rest is default."""
        return cls(
            **{
                name: values[name] if isinstance(field, Declared) else field.of(values)
                for name, field in cls.fields.items()
                if not isinstance(field, Declared) or name in values
            }
        )
