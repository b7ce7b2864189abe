"""`rules` and `explain`: what the rules are, and what a code, a feature or an error class means."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from deltaadm.clients import CLIENTS
from deltaadm.dataclass import dataclass
from deltaadm.domain.model.features import FEATURES, lookup
from deltaadm.domain.model.properties import did_you_mean
from deltaadm.errors import Refused
from deltaadm.operations.client_catalogue import ClientExplanation, explain_client
from deltaadm.operations.error_classes import error_classes
from deltaadm.operations.features import FeatureExplanation, explain_feature
from deltaadm.operations.validate import choose_rules, code_prefix, similar_code
from deltaadm.validation.rule import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deltaadm.operations.error_classes import ErrorClass
    from deltaadm.validation.rule import Rule

FAMILIES: Final = {
    "DL1": "the log and what commits hold",
    "DL2": "the protocol",
    "DL3": "metadata, schema and properties",
    "DL4": "column mapping",
    "DL5": "what features require",
    "DL6": "checkpoints",
    "DL7": "files",
    "DL8": "version checksums",
    "DL9": "settings, clients and cross-checks",
}
"""The topic of each family of rules."""

_CODE: Final = re.compile(r"DL\d", re.IGNORECASE)


@dataclass(frozen=True)
class RuleCatalogue:
    """Rules of `validate`, in the order of their codes."""

    rules: tuple[Rule, ...]

    document = "rules"
    blocks = "catalogues.show_rules"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that `-o name` prints."""
        return tuple(rule.code for rule in self.rules)


@dataclass(frozen=True)
class RuleExplanation:
    """One rule with its documentation."""

    rule: Rule

    document = "rule"
    blocks = "catalogues.show_rule"


@dataclass(frozen=True)
class ErrorClassExplanation:
    """An error class of Delta, with the rules that find what leads to it."""

    error_class: ErrorClass
    rules: tuple[Rule, ...]

    document = "error_class"
    blocks = "catalogues.show_error_class"


Explanation = RuleExplanation | FeatureExplanation | ErrorClassExplanation | ClientExplanation


def list_rules(families: Iterable[str] = ()) -> RuleCatalogue:
    """The rules of *families*, or all; raises `Refused` with a suggestion for no family."""
    prefixes = [_prefix(family) for family in families]
    return RuleCatalogue(tuple(choose_rules(prefixes)))


def _prefix(text: str) -> str:
    prefix = code_prefix(text)
    if prefix is None:
        raise Refused(
            f"Unknown rule {text!r}.",
            remedy=similar_code(text) or "`deltaadm rules` lists them all.",
        )
    return prefix


def explain(word: str) -> Explanation:
    """
    Explain *word*: a rule by its code or name, a table feature, or an error class of Delta.

    A client as well, and a property that activates a feature, which stands for that. An error may
    be given as Delta says it, with its class in brackets at the beginning. Raises `Refused` with a
    suggestion for anything else.
    """
    name = word.strip().removeprefix("[").partition("]")[0]
    prefix = code_prefix(name)
    if prefix in RULES:
        return RuleExplanation(RULES[prefix])
    feature = next((known for known in FEATURES if known.lower() == name.lower()), None)
    if feature is not None or lookup(name) is not None:
        return explain_feature(feature or name)
    switched = [
        known for known, candidate in FEATURES.items() if name in candidate.activation.properties
    ]
    if switched:
        return explain_feature(switched[0])
    if name.partition("@")[0] in CLIENTS:
        return explain_client(name)
    error_class = error_classes().get(name.upper().partition(".")[0])
    if error_class is not None:
        return ErrorClassExplanation(error_class, rules_on(error_class))
    if prefix in FAMILIES:
        raise Refused(
            f"{prefix} are the rules about {FAMILIES[prefix]}.",
            remedy=f"`deltaadm rules {prefix}` lists them.",
        )
    rules = [*RULES, *(rule.name for rule in RULES.values())]
    known = [*rules, *FEATURES, *error_classes(), *CLIENTS]
    raise Refused(
        f"{word!r} is not a rule, table feature, client or error class that deltaadm knows.",
        remedy=(similar_code(name) if _CODE.match(name) else did_you_mean(name, known))
        or "`deltaadm rules` and `deltaadm features` list the rules and the features.",
    )


def rules_on(error_class: ErrorClass) -> tuple[Rule, ...]:
    """The rules whose documentation names *error_class* as their source."""
    return tuple(rule for rule in choose_rules() if _names(rule, error_class.name))


def _names(rule: Rule, name: str) -> bool:
    """Whether *name* occurs as a word in a rule's documentation; it may wrap to the next line."""
    text = rule.doc.replace("_\n", "_").replace("\n", " ")
    return name in text and name in {
        word.strip(".,;:()`").partition(".")[0] for word in text.split()
    }
