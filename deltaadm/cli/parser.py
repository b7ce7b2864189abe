"""
A parser for plain command lines.

Importing typer takes longer than inspecting a table. What is understood here is understood as
typer does; everything else is left to it: help, usage errors, rare spellings.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from deltaadm.cli.declare import Declared, Parameters


def parse(kind: type[Parameters], arguments: Sequence[str]) -> Parameters | None:
    """What *arguments* say to a command that takes *kind*; None for what typer should look at."""
    declared = tuple(kind.declared())
    try:
        words, given = _separated(declared, iter(arguments))
        values = {name: _value(*found) for name, found in given.items()}
        values |= _arguments([each for each in declared if each.is_argument], words)
    except ValueError:
        return None
    return kind.of(values)


def _separated(
    declared: Sequence[Declared], rest: Iterator[str]
) -> tuple[list[str], dict[str, tuple[Declared, list[str]]]]:
    """The words that are no options, and the texts that each option is given."""
    by_name = {name: option for option in declared for name in option.names}
    words: list[str] = []
    given: dict[str, tuple[Declared, list[str]]] = {}
    for word in rest:
        if not word.startswith("-"):
            words.append(word)
            continue
        name, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
        option = by_name.get(name)
        if option is None or (option.field in given and not option.is_list):
            raise ValueError(word)
        texts = given.setdefault(option.field, (option, []))[1]
        if option.is_switch or option.is_pair:
            if equals:
                raise ValueError(word)
            texts += [_plain(next(rest, "")) for _ in "12"] if option.is_pair else []
        else:
            texts.append(_plain(text if equals else next(rest, "")))
    return words, given


def _plain(text: str) -> str:
    """A value that cannot be taken for anything else."""
    if not text or text.startswith("-"):
        raise ValueError(text)
    return text


def _value(option: Declared, texts: list[str]) -> Any:
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
