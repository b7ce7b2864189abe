"""
A parser for plain command lines.

Importing typer takes longer than inspecting a table. What is understood here is understood as
typer does; everything else is left to it: help, usage errors, rare spellings.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from deltaadm.cli.declare import Declared
    from deltaadm.cli.table import Command


def parse(command: Command, arguments: Sequence[str]) -> dict[str, Any] | None:
    """The values of a command's *arguments*, by field; None for those that typer should parse."""
    declared = tuple(command.declared())
    try:
        words, occurrences = _separated(declared, iter(arguments))
        values = {name: _value(*occurrence) for name, occurrence in occurrences.items()}
        return values | _arguments([option for option in declared if option.is_argument], words)
    except ValueError:
        return None


def _separated(
    declared: Sequence[Declared], rest: Iterator[str]
) -> tuple[list[str], dict[str, tuple[Declared, list[str]]]]:
    """The words that are no options, and the texts that each option is given."""
    by_name = {name: option for option in declared for name in option.names}
    words: list[str] = []
    occurrences: dict[str, tuple[Declared, list[str]]] = {}
    for word in rest:
        if not word.startswith("-"):
            words.append(word)
            continue
        name, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
        option = by_name.get(name) or _counted(word, by_name)
        if option is None or (
            option.field in occurrences and not (option.is_list or option.counted)
        ):
            raise ValueError(word)
        texts = occurrences.setdefault(option.field, (option, []))[1]
        if option.is_switch or option.is_pair:
            if equals:
                raise ValueError(word)
            texts += [_plain(next(rest, "")) for _ in "12"] if option.is_pair else []
            texts += _times(word) if option.counted else []
        else:
            texts.append(_plain(text if equals else next(rest, "")))
    return words, occurrences


def _counted(word: str, by_name: Mapping[str, Declared]) -> Declared | None:
    """The option that is given several times at once, as in -qq."""
    option = by_name.get(word[:2])
    return option if option and option.counted and set(word[1:]) == {word[1]} else None


def _times(word: str) -> str:
    """A letter for each time that *word* gives an option."""
    return "x" if word.startswith("--") else word[1:]


def _plain(text: str) -> str:
    """A value that cannot be taken for anything else."""
    # Typer and we might take it differently, so typer takes it.
    if not text or text.startswith("-"):
        raise ValueError(text)
    return text


def _value(option: Declared, texts: list[str]) -> Any:
    if option.counted:
        return len(texts)
    if option.is_switch:
        return True
    if option.is_pair:
        from pathlib import Path

        return texts[0], Path(texts[1])
    converted = [option.convert(text) for text in texts]
    return converted if option.is_list else converted[0]


def _arguments(declared: Sequence[Declared], words: list[str]) -> dict[str, Any]:
    """The arguments by their fields; the last may take all words that are left."""
    if not all(words):
        raise ValueError(words)
    values: dict[str, Any] = {}
    left = list(words)
    for argument in declared:
        if not left and argument.required:
            raise ValueError(argument.metavar)
        if left and argument.is_list:
            values[argument.field], left = [argument.convert(word) for word in left], []
        elif left:
            values[argument.field] = argument.convert(left.pop(0))
    if left:
        raise ValueError(left)
    return values
