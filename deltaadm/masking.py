"""What no output says: secrets in texts and properties, and what a terminal or shell would obey."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


MASK: Final = "***"

# Text comes from tables, and a line of a megabyte must take a moment only: no pattern looks again
# and again at what it cannot match. Quantifiers are possessive, or end where another match begins.
_PAIR: Final = (
    r"(?P<key>(?P<quote>(?:(?<!\\)\\*+|\\{0,255}+)['\"])(?P<quoted>[^'\"\s\\]++)(?P=quote)|"
    r"(?<![?&\w.-])[\w.-]++)"
    r"(?P<sign>\s?=\s?|(?<=['\"])\s?:\s?)"
    r"(?P<value>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(?P<opening>\\{1,255}+['\"])[^'\"]*+['\"]?|"
    r"[^\s'\",;()]*[^\s'\".,;()])"
)
"""A key and its value, bare or in quotes; no part of a URL."""

_LOGIN: Final = (
    r"(:/{1,2}(?:(?!%3[aA])[^\s/:@\[])*+(?::|%3[aA]))(?!\d{1,5}(?:[/?#\s]|$))"
    r"(?:(?!%40)[^\s@\"'<>])*+((?:@|%40)(?:[^\s/@\"'<>]*+@)*+)?"
)
"""The password may have a slash in it, as keys of Amazon do, unless it is a port."""

_PARAMETER: Final = (
    r"(?i)([?&][^\s=&?#/]*"
    r"(?:sig|signature|token|secret|passw(?:or)?d|credentials?|key|keyid|key-pair-id|policy)=)"
    r"[^\s&'\"`<>]+"
)
"""Part of the query of a signed URL: shared access signatures, presigned and the like."""

_PREFIXES: Final = (
    "AIza", "ATATT", "SG.", "dapi", "dckr_pat_", "dop_v1_", "gho_", "ghp_", "ghr_", "ghs_", "ghu_",
    "github_pat_", "glpat-", "hf_", "hooks.slack.com/services/", "hvs.", "npm_", "pypi-",
    "rk_live_", "shpat_", "sk-ant-", "sk-proj-", "sk_live_", "xapp-", "xoxa-", "xoxb-", "xoxe-",
    "xoxp-", "xoxr-", "xoxs-", "ya29.",
)  # fmt: skip
"""The beginnings of providers' tokens; random text follows, with a digit in it."""

_BEGINNING: Final = "|".join(_PREFIXES).replace(".", r"\.")


_PARTITION: Final = r"(?i)[^/]*/(?:.*/)?(?:[^/]*\.[a-z]\w*|[^/=]+=[^/=][^/]*)?/?"
"""The value after `key=` in the path of a partition's file, or of a directory in it."""


def _without_secrets(text: str, depth: int = 0) -> str:
    """*text* without the values of keys that are names of secrets, in documents in it as well."""
    pattern, shown, place = re.compile(_PAIR), list[str](), 0
    while (pair := pattern.search(text, place)) is not None:
        end = pair.end()
        if opening := pair["opening"]:  # the same quote ends it; those within have more backslashes
            closing = re.compile(rf"(?<!\\){re.escape(opening)}").search(text, pair.end("opening"))
            end = closing.end() if closing else end
        value = text[pair.start("value") : end]
        shown += text[place : pair.start()], pair["key"], pair["sign"]
        shown.append(_shown_value(pair, value, depth))
        place = end
    return "".join([*shown, text[place:]])


def _shown_value(pair: re.Match[str], value: str, depth: int) -> str:
    key = pair["key"]
    if not _is_secret_key(pair["quoted"] or key) or not _is_opaque(key, value.strip("'\"\\")):
        # A document may be the value in another one.
        if "\\" not in value or len(value) == 1:
            return value
        if depth == _DEEPEST:
            return MASK
        return f"{value[0]}{_without_secrets(value[1:-1], depth + 1)}{value[-1]}"
    quote = value[: len(value) - len(value.lstrip("'\"\\"))]
    if not quote and "/" in value:
        # A part of a path; only names of settings have dots.
        inside = pair.string[max(pair.start() - 1, 0) : pair.start()] == "/"
        if inside or ("." not in key and re.fullmatch(_PARTITION, value)):
            return value
    return f"{quote}{MASK}{quote}"


_DEEPEST: Final = 8
"""Documents within each other that are looked into; what is nested deeper is not shown."""

_SIGNS_OF_PAIRS: Final = ("=", '":', '" :', "':", "' :")
"""Texts of which each that has a key and its value has one."""

_RULES: Final[tuple[tuple[tuple[str, ...], str, str | Callable[[re.Match[str]], str]], ...]] = (
    ((":/",), _LOGIN, lambda login: login[0] if login[2] is None else f"{login[1]}{MASK}@"),
    (("?", "&"), _PARAMETER, rf"\1{MASK}"),
    (("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}", MASK),
    (("-----BEGIN",), r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\w+/=\s\\]*+", MASK),
    (("eyJ",), r"(?<![\w-])eyJ[\w-]{10,}+\.[\w-]{10,}+\.[\w.-]*+", MASK),
    (
        ("earer ", "asic ", "BEARER ", "BASIC "),
        r"(?i)\b(?:bearer|basic) ++(?=[\w+/.~-]{0,64}[\d=])[\w+/=.~-]{8,}+",
        MASK,
    ),
    (_PREFIXES, rf"\b(?:{_BEGINNING})(?=[\w/-]{{0,31}}\d)[\w+/=.-]{{10,}}+", MASK),
)
"""Kinds of secrets: texts of which each has one, its pattern, and what is put in its place."""

_KEY: Final = (
    r"(passwords?|passwd|passphrase|pwd|secrets?|tokens?|secret_?key|access_?key|account_?key|"
    r"private_?key|api_?keys?|(^|_)(cred(ential)?s?|shared_?key|encryption_?keys?|sas|sig|salt|"
    r"connection_string|authorization|auth_user_info|(user|db|bind|ldap)_?(pass|pw)))"
    r"(_id|_value|_old|_list|_hash)?$|account_key_|sas_(fixed_)?token|azure_sas_"
)
"""A name of a secret, in lower case with an underscore between its words."""

_ORDINARY: Final = r"(?i)true|false|none|null|[0-9.]+|[a-z]+://\S*|\$?\{.*\}"
"""A switch, a number, or a reference to where the secret is kept."""

_KEY_SIGNS: Final = (
    "pass", "pw", "secret", "token", "cred", "key", "string", "auth", "sas", "sig", "salt",
)  # fmt: skip
"""Texts of which every name of a secret has one: importing `re` costs time at the start."""

_TELLING: Final = 4  # shorter values than this are parts of ordinary words


def masked(text: str, secrets: Iterable[str] = ()) -> str:
    """
    *text* without the values of *secrets*, logins and signatures of URLs, and other known secrets.

    >>> masked("s3://AKIA:abc@bucket/table"), masked("https://h/t?sv=1&sig=abc%3D&se=2")
    ('s3://AKIA:***@bucket/table', 'https://h/t?sv=1&sig=***&se=2')
    >>> masked("hdfs://nn:8020/a@b"), masked("abfss://container@account/t")
    ('hdfs://nn:8020/a@b', 'abfss://container@account/t')
    >>> masked("SET TBLPROPERTIES ('my.password' = 'a b', 'a' = 'b')")
    "SET TBLPROPERTIES ('my.password' = '***', 'a' = 'b')"
    >>> masked("got my.token=abc, want KEY=VALUE"), masked("token=abc/part-0.parquet")
    ('got my.token=***, want KEY=VALUE', 'token=abc/part-0.parquet')
    """
    # The longest first: a secret may have another one in it.
    for secret in sorted(secrets, key=len, reverse=True):
        # As Python quotes it, a short secret is still told apart from the words around it.
        text = text.replace(repr(secret), repr(MASK))
        if len(secret) >= _TELLING:
            text = text.replace(secret, MASK)
    if any(map(text.__contains__, _SIGNS_OF_PAIRS)):
        text = _without_secrets(text)
    for signs, pattern, replacement in _RULES:
        for sign in signs:  # hardly a text has one, which `any` takes twice as long to find out
            if sign in text:
                text = re.sub(pattern, replacement, text)
                break
    return text


def is_secret(key: str, value: str | None) -> bool:
    """
    Whether the property *key* looks like a password, a key or a token, by its name or its value.

    >>> is_secret("fs.s3a.secret.key", "x1"), is_secret("note", "s3://AKIA:abc@bucket")
    (True, True)
    >>> is_secret("my.password", "vault://team/db"), is_secret("delta.appendOnly", "true")
    (False, False)
    """
    # The user chooses the name of a constraint for something else than a secret.
    if not value or key.startswith("delta.constraints."):
        return False
    return masked(value) != value or (_is_secret_key(key) and _is_opaque(key, value))


@lru_cache(4096)
def _is_secret_key(key: str) -> bool:
    lower = key.lower()
    if not any(sign in lower for sign in _KEY_SIGNS):
        return False
    # Names are in camel case, with dots or with hyphens, as their authors like it.
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", key).lower()
    return re.search(_KEY, re.sub(r"[^a-z0-9]+", "_", words)) is not None


def _is_opaque(key: str, value: str) -> bool:
    if value.isdecimal():
        return any(word in key.lower() for word in ("pass", "pwd", "secret"))
    return not re.fullmatch(_ORDINARY, value, re.DOTALL)


def secrets_among(entries: Mapping[str, str | None]) -> tuple[str, ...]:
    """The values of *entries* that are secrets."""
    return tuple({value for key, value in entries.items() if value and is_secret(key, value)})


def secrets_of_environment() -> tuple[str, ...]:
    """The values of variables that are secrets, such as tokens; a server may repeat one."""
    # The shell keeps directories in names that look like passwords.
    keys = (key for key in os.environ if key not in {"PWD", "OLDPWD"} and _is_secret_key(key))
    given = {key: os.environ.get(key, "") for key in keys}
    return tuple(
        value for key, value in given.items() if len(value) >= _LONG and _is_opaque(key, value)
    )


_LONG: Final = 8  # what is shorter than this may be a word of any message


# What a terminal or a CI system would obey


_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
OLD_COMMAND_MARK = "##["
"""What GitHub's runner takes for a command anywhere in a line, whoever wrote it."""


def visible(text: str) -> str:
    r"""
    *text* with control characters, direction marks and the like as escapes.

    What a CI system's log would take for a command is spelled so that it does not.

    >>> visible("a\x1b[31m")
    'a\\x1b[31m'
    >>> visible("::error::x")
    '\\x3a:error::x'
    """
    if not text.isprintable():
        text = "".join(
            character.encode("unicode_escape", "surrogatepass").decode("ascii")
            if is_hidden(character)
            else character
            for character in text
        )
    # GitHub's runner looks for commands at the beginning of a line, behind any blanks.
    if text.lstrip().startswith("::"):
        text = text.replace(":", "\\x3a", 1)
    return text.replace(OLD_COMMAND_MARK, "##\\x5b")


def is_hidden(character: str) -> bool:
    """Whether a character controls what is shown rather than being shown."""
    code = ord(character)
    # Unicode has set some aside for ever; XML allows some of them nowhere.
    is_no_character = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF  # noqa: PLR2004
    return is_no_character or unicodedata.category(character) in _HIDDEN


# What a shell would obey


def argument(name: str) -> str:
    """A table or file as an argument: one that begins with a dash would be taken for an option."""
    return f"./{name}" if name.startswith("-") else name


def quoted(word: str) -> str:
    r"""
    *word* for a POSIX shell, on one line and without characters that a terminal would obey.

    >>> quoted("it's")
    '\'it\'"\'"\'s\''
    >>> quoted("a\nb")
    "$'a\\x0ab'"
    """
    if word.isprintable():
        # As `shlex.quote` does, which is slow to import.
        plain = word.isascii() and all(each.isalnum() or each in "_@%+=:,./-" for each in word)
        return word if word and plain else "'" + word.replace("'", "'\"'\"'") + "'"
    body = ""
    for character in word:
        if character.isprintable() and character not in "\\'":
            body += character
        else:
            # Half a character that stands for a byte of a file's name is that byte.
            errors = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
            body += "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", errors))
    # The quotes of bash, ksh and zsh that understand escapes; plain ones would keep the character.
    return f"$'{body}'"


def quoted_argument(name: str) -> str:
    """A table or file as an argument in a line for a POSIX shell; see `argument` and `quoted`."""
    return quoted(argument(name))
