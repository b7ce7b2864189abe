"""
What commands take, as data: arguments, options and groups of options.

A class that inherits from `Parameters` declares a field for each of them; an instance holds what
one command line says. The parser, the help, the settings and the completion are all made from these
declarations, which import nothing that is slow to import.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, ClassVar, Final, Self, dataclass_transform
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
    the value, `heading` what it puts above the option. `kind` is the text of the field's
    annotation, from which all about the value follows. `scope` says where settings may set it:
    COMMON for all commands at once, OWN for each command in its section, NEVER.
    """

    def __init__(
        self,
        *texts: str,
        is_argument: bool,
        default: Any = None,
        minimum: int | None = None,
        counted: bool = False,
        scope: str = "",
    ) -> None:
        *words, self.help = texts
        self.metavar = words.pop() if words and words[-1][0] != "-" else ""
        self.names = tuple(words)
        self.is_argument = is_argument
        self.default = default
        self.minimum = minimum
        self.counted = counted
        self.scope = scope

    def bind(self, cls: type[Parameters], field: str, kind: str) -> None:
        """Take from its *field* in a class what the declaration leaves out."""
        self.field, self.owner, self.heading = field, cls.__module__, cls.heading
        self.scope = self.scope or cls.scope
        if not (self.names or self.is_argument):
            self.names = (f"--{field.replace('_', '-')}",)
        self.is_switch = self.counted or kind == "bool"  # takes no value
        self.is_list = kind.startswith("list[")  # may be given several times
        self.is_pair = kind.startswith("tuple[")  # takes two values
        # The type of a value: str, int, Path, or the name of an enumeration.
        self.type_name = kind.removesuffix(" | None").removeprefix("list[").removesuffix("]")
        self.names_tables = self.metavar == "TABLE" or (
            self.is_argument and "TABLE" in self.metavar
        )
        """Whether its value is a table, or may be one, for which an alias may stand."""
        if self.is_switch:
            self.default = 0 if self.counted else False
        self.required = self.default is None and not kind.endswith("| None")

    @property
    def key(self) -> str:
        """Its name in settings."""
        return max(self.names, key=len).removeprefix("--")

    @property
    def choices(self) -> dict[str, Any]:
        """The values that it can have, by their words; none where any text or number will do."""
        if self.is_pair or self.is_switch or self.type_name in {"str", "int", "Path"}:
            return {}
        enumeration = attrgetter(self.type_name)(sys.modules[self.owner])
        return {member.value: member for member in enumeration}

    def convert(self, text: str) -> Any:
        """The value that *text* stands for; raises `ValueError`, which says what is wrong."""
        if self.type_name == "str":
            return text
        if self.type_name == "Path":
            return path_of(text)
        if self.type_name == "int":
            try:
                number = int(text)
            except ValueError:
                raise ValueError(f"{text!r} is not a number") from None
            if self.minimum is not None and number < self.minimum:
                raise ValueError(f"{number} is less than {self.minimum}")
            return number
        choices = self.choices
        if text not in choices:
            raise ValueError(f"{text!r} is not one of {', '.join(map(repr, choices))}")
        return choices[text]


def path_of(text: str) -> Path:
    """The path *text*."""
    from pathlib import Path  # slow to import, and most command lines have none

    return Path(text)


def option(*texts: str, **more: Any) -> Any:
    """
    An option: its names, its metavar unless it is a switch, and its help; as in a usage line.

    Without names it is called like its field. *more* are a `default`, the `minimum` of a number,
    whether a switch is `counted`, and a `scope` other than that of its group.
    """
    return Declared(*texts, is_argument=False, **more)


def argument(metavar: str, help: str, **more: Any) -> Any:  # noqa: A002
    """An argument; one whose annotation does not allow None has to be given."""
    return Declared(metavar, help, is_argument=True, **more)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Parameters:
    """
    What a command takes, or a group of options that several commands take.

    A field without a declaration is a group. An instance holds values; what is not given has its
    default. A class below another one takes what that takes as well.
    """

    fields: ClassVar[dict[str, Declared | type[Parameters]]] = {}
    heading: ClassVar[str] = ""  # above the options of a group in the help
    scope: ClassVar[str] = OWN  # of the options in a group that name none of their own

    @property
    def shows(self) -> str:
        """The report that the format of the output must be able to show; a group of it may say."""
        output = self.group("output")
        return "" if output is None else str(output.shows)

    @property
    def about(self) -> str:
        """The field that says what errors of a command are about, if it has one value."""
        return ""

    @property
    def asked(self) -> Sequence[str]:
        """What arguments ask about tables, if they name tables as well."""
        return ()

    def __init_subclass__(cls) -> None:
        cls.fields = dict(cls.fields)
        for name, kind in cls.__annotations__.items():
            declared = cls.__dict__.get(name)
            if isinstance(declared, Declared):
                declared.bind(cls, name, kind)
                cls.fields[name] = declared
            else:
                cls.fields[name] = getattr(sys.modules[cls.__module__], kind)

    def __init__(self, **values: Any) -> None:
        for name, field in type(self).fields.items():
            default = field.default if isinstance(field, Declared) else field()
            setattr(self, name, values.pop(name, default))
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")

    def replaced(self, **values: Any) -> Self:
        """The same with other *values* for some fields."""
        return type(self)(**{**vars(self), **values})

    def group(self, name: str) -> Any:
        """The group called *name*, its own or that of a group; None without it."""
        for of, field in type(self).fields.items():
            if not isinstance(field, Declared):
                value = getattr(self, of)
                found = value if of == name else value.group(name)
                if found is not None:
                    return found
        return None

    @classmethod
    def declared(cls) -> Iterator[Declared]:
        """All arguments and options, those of groups in the groups' places."""
        for field in cls.fields.values():
            if isinstance(field, Declared):
                yield field
            else:
                yield from field.declared()

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """The parameters, of whose groups *values* has the fields as well; the rest is default."""
        return cls(
            **{
                name: values[name] if isinstance(field, Declared) else field.of(values)
                for name, field in cls.fields.items()
                if not isinstance(field, Declared) or name in values
            }
        )
