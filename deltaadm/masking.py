"""Secrets in URLs, settings and table properties, taken out of whatever deltaadm says."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping
    from typing import Final

MASK: Final = "***"

_LOGIN: Final = (
    r"(:/{1,2}[^\s/:@\[]{0,256}:)(?!\d{1,5}(?:[/?#\s]|$))(?:[^\s/]{0,1024}@|[^\s@]{0,1024}@)"
)
"""
The password may have a slash in it, as keys of Amazon do, unless it is a port.

No pattern here is unbounded where another start could begin in what it matches: text comes from
tables, and a line of a megabyte must take a moment only.
"""

_PARAMETER: Final = (
    r"(?i)([?&][^\s=&?#/]*"
    r"(?:sig|signature|token|secret|passw(?:or)?d|credentials?|key|keyid|key-pair-id|policy)=)"
    r"[^\s&'\"`<>]+"
)
"""Part of the query of a signed URL: shared access signatures, presigned and the like."""


_SETTING: Final = (
    r"(?i)((?<![^\s='\"])(?=[^\s='\"]{0,512}(?:secret|passw(?:or)?d|token|credential|key|sas))"
    r"[^\s='\"]+=)"
    r"(?:\"[^\"]*\"|[^\s'\"]+)"
)


def masked_settings(text: str) -> str:
    """
    A command line without the values of settings whose names sound like those of secrets.

    >>> masked_settings("--conf spark.hadoop.fs.s3a.secret.key=abc --conf spark.x=1 shell")
    '--conf spark.hadoop.fs.s3a.secret.key=*** --conf spark.x=1 shell'
    """
    import re

    return re.sub(_SETTING, rf"\1{MASK}", masked(text))


_TELLING_KEY: Final = (
    r"(^|_)((passwords?|passwd|pwd|passphrase|secrets?|tokens?|cred(ential)?s?|private_?key|"
    r"api_?keys?|access_?key|account_?key|secret_?key|shared_?key|encryption_?keys?|"
    r"connection_string|authorization|(user|db|bind|ldap)_(pass|pw))(_id|_value|_old|_list)?$|"
    r"account_key_|sas_(fixed_)?token|azure_sas_)"
)
_TELLING_VALUE: Final = (
    r"A[KS]IA[0-9A-Z]{16}|-----BEGIN [A-Z ]{0,40}PRIVATE KEY|"
    r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.|"
    r"Account_?Key=[\w+/=]{20,}|SharedAccessKey=[\w+/=]{20,}|[?&]sig=[\w%+/=]{20,}|"
    r"\bgh[pousr]_\w{30}|\bgithub_pat_\w{22}|\bdapi[0-9a-f]{32}|\bAIza[\w-]{35}|"
    r"\bxox[abeoprs]-[\w-]{10}|hooks\.slack\.com/services/\w|\b[rs]k_live_\w{10}|\bsk-proj-\w{10}|"
    r"\bnpm_\w{30}|\bhf_\w{30}|(?i:\b(?:bearer|basic) +[\w+/=.~-]{8})|"
    r"(?i:[;,{\s\"'](?:password|pwd|secret|token)[\"']? ?[=:] ?[\"']?[^\s;\"']{3})"
)
_ORDINARY: Final = r"(?i)true|false|none|[0-9.]+|[a-z]+://\S*|\$?\{.*\}"
"""A switch, a number, or a reference to where the secret is kept."""

_KEY_SIGNS: Final = ("pass", "pw", "secret", "token", "cred", "key", "string", "auth", "sas")
_VALUE_SIGNS: Final = (
    ":/", "AKIA", "ASIA", "-----BEGIN", "eyJ", "Key=", "sig=", "gh", "dapi", "AIza", "xox", "slack",
    "k_live_", "sk-proj-", "npm_", "hf_", "earer ", "asic ", "assword", "wd=", "ecret", "oken",
    "PASSWORD", "SECRET", "TOKEN", "BEARER",
)  # fmt: skip
"""Texts that every key, or value, of a secret contains: importing `re` costs time at the start."""

_NAMED_BY_USERS: Final = ("delta.constraints.",)
"""Before names that the user chooses for something else than a secret."""


def is_secret(key: str, value: str | None) -> bool:
    """
    Whether the property *key* looks like a password, a key or a token, by its name or its value.

    >>> is_secret("fs.s3a.secret.key", "x1"), is_secret("note", "s3://AKIA:abc@bucket")
    (True, True)
    >>> is_secret("my.password", "vault://team/db"), is_secret("delta.appendOnly", "true")
    (False, False)
    """
    if not value or key.startswith(_NAMED_BY_USERS):
        return False
    named = key.lower()
    if any(sign in value for sign in _VALUE_SIGNS):
        import re

        if masked(value) != value or re.search(_TELLING_VALUE, value):
            return True
    if not any(sign in named for sign in _KEY_SIGNS) or not _is_secret_key(key):
        return False
    return _is_opaque(value) or (value.isdigit() and ("pass" in named or "pwd" in named))


def _is_secret_key(key: str) -> bool:
    import re

    # Names are in camel case, with dots or with hyphens, as their authors like it.
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", key).lower()
    return re.search(_TELLING_KEY, re.sub(r"[^a-z0-9]+", "_", words)) is not None


def _is_opaque(value: str) -> bool:
    import re

    return not re.fullmatch(_ORDINARY, value)


def secrets_among(entries: Mapping[str, str | None]) -> tuple[str, ...]:
    """The values of *entries* that are secrets, the longest first."""
    secrets = {value for key, value in entries.items() if value and is_secret(key, value)}
    return tuple(sorted(secrets, key=len, reverse=True))


def without(secrets: Iterable[str], text: str) -> str:
    """*text* in which the values of *secrets* are masked."""
    for secret in secrets:
        # As Python quotes it, a short secret is still told apart from the words around it.
        text = text.replace(repr(secret), repr(MASK))
        if len(secret) >= _TELLING:
            text = text.replace(secret, MASK)
    return text


_TELLING: Final = 4
"""Shorter values than this are parts of ordinary words."""


_PAIR: Final = (
    r"(?P<key>(?P<quote>['\"])(?P<quoted>[^'\"\s]+)(?P=quote)|(?<![?&\w.-])[\w.-]+)(?P<sign>\s?=\s?)"
    r"(?P<value>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|"
    r"[^\s'\",;()]*[^\s'\".,;()])"
)
"""A key and its value, bare or in quotes; no part of a URL."""

_PARTITION: Final = r"(?i)[^/]*/(?:.*/)?(?:[^/]*\.[a-z]\w*|[^/=]+=[^/=][^/]*)?/?"
"""The value after `key=` in the path of a partition's file, or of a directory in it."""


def masked_pairs(text: str) -> str:
    """
    *text* without the values of those of its keys that are secrets, and as `masked` has it.

    >>> masked_pairs("SET TBLPROPERTIES ('my.password' = 'a b', 'a' = 'b')")
    "SET TBLPROPERTIES ('my.password' = '***', 'a' = 'b')"
    >>> masked_pairs("got my.token=abc, want KEY=VALUE"), masked_pairs("token=abc/part-0.parquet")
    ('got my.token=***, want KEY=VALUE', 'token=abc/part-0.parquet')
    >>> masked_pairs("got my.secret=ab/cd+e/f."), masked_pairs("PASSWORD=ab/cd is wrong")
    ('got my.secret=***.', 'PASSWORD=*** is wrong')
    """
    if "=" not in text:
        return masked(text)
    import re

    return masked(re.sub(_PAIR, _masked_pair, text))


def _masked_pair(pair: re.Match[str]) -> str:
    value = pair["value"]
    quote = value[0] if value[0] in "'\"" else ""
    if _is_partition(pair) or not is_secret(pair["quoted"] or pair["key"], value.strip("'\"")):
        return pair[0]
    return f"{pair['key']}{pair['sign']}{quote}{MASK}{quote}"


def _is_partition(pair: re.Match[str]) -> bool:
    """Whether a key and its value are part of a path; only names of settings have dots."""
    import re

    key, value = pair["key"], pair["value"]
    if value[0] in "'\"" or "/" not in value:
        return False
    if pair.string[max(pair.start() - 1, 0) : pair.start()] == "/":
        return True
    return "." not in key and re.fullmatch(_PARTITION, value) is not None


def masked(text: str) -> str:
    """
    *text* without the passwords and signatures of the URLs in it.

    >>> masked("s3://AKIA:abc@bucket/table"), masked("https://h/t?sv=1&sig=abc%3D&se=2")
    ('s3://AKIA:***@bucket/table', 'https://h/t?sv=1&sig=***&se=2')
    >>> masked("hdfs://nn:8020/a@b"), masked("abfss://container@account/t")
    ('hdfs://nn:8020/a@b', 'abfss://container@account/t')
    """
    if ":/" not in text:
        return text
    import re

    return re.sub(_PARAMETER, rf"\1{MASK}", re.sub(_LOGIN, rf"\1{MASK}@", text))
