"""Checking what public functions are called with, so that a mistake is named where it is made."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

import deltaadm
from deltaadm.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")

_BUILTIN: Final[Mapping[str, type]] = {
    "str": str,
    "int": int,
    "bool": bool,
    "None": type(None),
    "Sequence": Iterable,
    "Collection": Iterable,
    "Iterable": Iterable,
    "Mapping": Mapping,
    "Callable": Callable,  # type: ignore[dict-item]
    "datetime": datetime,
    "os.PathLike": os.PathLike,
}
_ANYTHING: Final = frozenset({"Any", "object"})
_PLAIN: Final = (str, bytes, int, float)
_MISTAKES: Final = {
    "Sequence": (str, bytes), "Collection": (str, bytes), "Iterable": (str, bytes), "int": (bool,),
}  # fmt: skip


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """
    *function*, which raises `TypeError` for arguments of other types than it is annotated with.

    That goes for types of the standard library and for public classes of deltaadm; where a
    sequence of strings is expected, a single string is a mistake. A usage error is a `ValueError`
    that names arguments instead of options.
    """
    signature = inspect.signature(function)
    name = getattr(function, "__name__", "")
    is_method = "self" in signature.parameters

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}.{'' if is_method else _hint(name)}") from None
        for parameter, value in bound.arguments.items():
            described = signature.parameters[parameter]
            values = value if described.kind is described.VAR_POSITIONAL else (value,)
            for argument in values:
                problem = _problem(parameter, described.annotation, argument)
                if problem:
                    raise TypeError(f"{name}(): {problem}{'' if is_method else _hint(name)}")
        try:
            return function(*args, **kwargs)
        except UsageError as error:
            words = " ".join(filter(None, (error.sentence, error.remedy)))
            named = re.sub(r"--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_"), words)
            raise ValueError(named) from error

    return call


def as_method(
    method: Callable[P, R], function: Callable[..., object], answer: str
) -> Callable[P, R]:
    """*method*, checked, with the name, documentation and arguments of *function* after `self`."""
    signature = inspect.signature(function)
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    wraps(function)(method)
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[own, *signature.parameters.values()], return_annotation=answer
    )
    return checked(method)


def _problem(parameter: str, annotation: object, value: object) -> str:
    """The fault of the *value* of a parameter, as a sentence; empty in most cases."""
    if parameter == "self" or not isinstance(annotation, str):
        return ""
    for text in annotation.split(" | "):
        base = text.partition("[")[0].strip()
        expected = _type(base)
        if expected is None:
            if text.isidentifier() and text not in _ANYTHING and isinstance(value, _PLAIN):
                continue  # which is no instance of a class that is not public
            return ""
        # By accident, a string is a sequence and a flag is a number.
        if isinstance(value, expected) and not isinstance(value, _MISTAKES.get(base, ())):
            return ""
    kind = f"{type(value).__name__} ({value!r:.60})"
    return f"{parameter} must be {annotation}, not {kind}."


def _type(name: str) -> type | None:
    if name in _BUILTIN:
        return _BUILTIN[name]
    candidate: Any = getattr(deltaadm, name) if name in dir(deltaadm) else None
    return candidate if isinstance(candidate, type) else None


def _hint(function: str) -> str:
    """The method that returns the same for a whole table."""
    method = "inspect" if function == "describe" else function
    return (
        f" For a table, there is deltaadm.table(...).{method}()."
        if hasattr(deltaadm.Table, method)
        else ""
    )
