"""
The parser of command lines.

It is ours because importing one takes longer than inspecting a table. Options and arguments may
stand in any order; `--` ends the options, and the last of two values of an option counts.
"""

from __future__ import annotations

from deltaadm.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from deltaadm.cli.table import Command
    from deltaadm.runs.declare import Declared


def parse(command: Command, arguments: Sequence[str]) -> dict[str, Any] | None:
    """
    The values of a command's *arguments*, by field; None for those that ask for help.

    Raises `UsageError` for arguments that the command does not take.
    """
    options = {name: each for each in command.declared() for name in each.names}
    given: dict[str, tuple[Declared, list[str]]] = {}
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            words += rest
        elif not word.startswith("-") or word == "-":
            words.append(word)
        else:
            for name, value in _named(word, options):
                if name not in options:
                    from deltaadm.cli.help import near_option

                    remedy = near_option(name, command)
                    raise UsageError(f"There is no option {name}.", remedy=remedy)
                option = options[name]
                texts = given.setdefault(option.field, (option, []))[1]
                texts += _texts(option, name, value, rest)
    if "help" in given:
        return None
    values = {field: _value(option, texts) for field, (option, texts) in given.items()}
    return values | _arguments(command, words)


def _named(word: str, options: dict[str, Declared]) -> Iterator[tuple[str, str | None]]:
    """The options that *word* gives, with the value that stands in it if one does."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        yield name, value if equals else None
        return
    letters = iter(word[1:])
    for letter in letters:
        name = f"-{letter}"
        option = options.get(name)
        takes_none = option is None or option.is_switch
        yield name, None if takes_none else "".join(letters) or None


def _texts(option: Declared, name: str, value: str | None, rest: Iterator[str]) -> list[str]:
    """What is given to *option*, as text: the *value* in its word, or else what follows."""
    if option.is_switch:
        if value is not None:
            raise UsageError(f"Option '{name}' does not take a value.")
        return [name]
    wanted = 2 if option.is_pair else 1
    texts = [] if value is None else [value]
    texts += [text for _, text in zip(range(wanted - len(texts)), rest, strict=False)]
    if len(texts) < wanted:
        amount = "an argument" if wanted == 1 else "2 arguments"
        raise UsageError(f"Option '{name}' requires {amount}.")
    return texts


def _value(option: Declared, texts: list[str]) -> Any:
    if option.counted:
        return len(texts)
    if option.is_switch:
        return True
    try:
        if option.is_pair:
            from pathlib import Path

            return texts[-2], Path(texts[-1])
        converted = [option.convert(text) for text in (texts if option.is_list else texts[-1:])]
    except ValueError as error:
        label = " / ".join(option.names) or option.metavar.strip("[]")
        raise UsageError(str(error), option=label) from error
    return converted if option.is_list else converted[-1]


def _arguments(command: Command, words: list[str]) -> dict[str, Any]:
    """The arguments by their fields; the last may take all words that are left."""
    values: dict[str, Any] = {}
    left = list(words)
    for argument in (each for each in command.declared() if each.is_argument):
        own = left if argument.is_list else left[:1]
        left = left[len(own) :]
        if argument.names_tables and "" in own:
            raise UsageError("is empty", option="TABLE")
        if own:
            try:
                values[argument.field] = _value(argument, own)
            except UsageError:
                table = values.get("table", "")
                if table.lower() in argument.choices:  # they are swapped
                    from deltaadm.runs.plan_options import require_no_directory

                    require_no_directory(table, argument.metavar)
                raise
        elif argument.required:
            from deltaadm.cli.help import lacks_argument

            raise lacks_argument(command)
    if left:
        raise UsageError(f"Unexpected argument {' '.join(left)!r}.")
    return values
