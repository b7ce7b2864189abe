"""Secrets in texts and table properties, taken out of whatever deltaadm says."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping
    from typing import Final

MASK: Final = "***"

# No pattern here is unbounded where another start could begin in what it matches: text comes from
# tables, and a line of a megabyte must take a moment only.
_LOGIN: Final = (
    r"(:/{1,2}[^\s/:@\[]{0,256}:)(?!\d{1,5}(?:[/?#\s]|$))(?:[^\s/]{0,256}@|[^\s@]{0,256}@)"
)
"""The password may have a slash in it, as keys of Amazon do, unless it is a port."""

_PARAMETER: Final = (
    r"(?i)([?&][^\s=&?#/]*"
    r"(?:sig|signature|token|secret|passw(?:or)?d|credentials?|key|keyid|key-pair-id|policy)=)"
    r"[^\s&'\"`<>]+"
)
"""Part of the query of a signed URL: shared access signatures, presigned and the like."""

_PAIR: Final = (
    r"(?P<key>(?P<quote>['\"])(?P<quoted>[^'\"\s]+)(?P=quote)|(?<![?&\w.-])[\w.-]+)"
    r"(?P<sign>\s?=\s?|(?<=['\"])\s?:\s?)"
    r"(?P<value>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|"
    r"[^\s'\",;()]*[^\s'\".,;()])"
)
"""A key and its value, bare or in quotes; no part of a URL."""

_PARTITION: Final = r"(?i)[^/]*/(?:.*/)?(?:[^/]*\.[a-z]\w*|[^/=]+=[^/=][^/]*)?/?"
"""The value after `key=` in the path of a partition's file, or of a directory in it."""

_KEY: Final = (
    r"(^|_)((passwords?|passwd|pwd|passphrase|secrets?|tokens?|cred(ential)?s?|private_?key|"
    r"api_?keys?|access_?key|account_?key|secret_?key|shared_?key|encryption_?keys?|"
    r"connection_string|authorization|(user|db|bind|ldap)_(pass|pw))(_id|_value|_old|_list)?$|"
    r"account_key_|sas_(fixed_)?token|azure_sas_)"
)
"""A name of a secret, in lower case with an underscore between its words."""

_ORDINARY: Final = r"(?i)true|false|none|[0-9.]+|[a-z]+://\S*|\$?\{.*\}"
"""A switch, a number, or a reference to where the secret is kept."""

_KINDS: Final = (
    ("AKIA", r"\bAKIA[0-9A-Z]{16}"),
    ("ASIA", r"\bASIA[0-9A-Z]{16}"),
    ("-----BEGIN", r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\w+/=\s]{0,8192}"),
    ("eyJ", r"(?<![\w-])eyJ[\w-]{10,4096}\.eyJ[\w-]{10,4096}\.[\w-]{0,4096}"),
    ("AccountKey=", r"AccountKey=[\w+/=]{20,256}"),
    ("SharedAccessKey=", r"SharedAccessKey=[\w+/=]{20,256}"),
    ("sig=", r"[?&]sig=[\w%+/=]{20,256}"),
    ("gh", r"\bgh[pousr]_\w{30,255}"),
    ("github_pat_", r"\bgithub_pat_\w{22,255}"),
    ("dapi", r"\bdapi[0-9a-f]{32}"),
    ("AIza", r"\bAIza[\w-]{35}"),
    ("xox", r"\bxox[abeoprs]-[\w-]{10,255}"),
    ("hooks.slack.com", r"hooks\.slack\.com/services/\w[\w/]{0,255}"),
    ("_live_", r"\b[rs]k_live_\w{10,255}"),
    ("sk-proj-", r"\bsk-proj-[\w-]{10,255}"),
    ("npm_", r"\bnpm_\w{30,255}"),
    ("hf_", r"\bhf_\w{30,255}"),
    ("earer ", r"\b[Bb]earer +(?=[\w+/.~-]{0,64}\d)[\w+/=.~-]{8,4096}"),
    ("BEARER ", r"\bBEARER +(?=[\w+/.~-]{0,64}\d)[\w+/=.~-]{8,4096}"),
    ("asic ", r"\b[Bb]asic +(?=[\w+/]{0,64}[\d=])[\w+/=]{8,4096}"),
)
"""What providers' keys and tokens look like, each with a text that all of its kind contain."""

_KEY_SIGNS: Final = ("pass", "pw", "secret", "token", "cred", "key", "string", "auth", "sas")
"""Texts of which every name of a secret has one: importing `re` costs time at the start."""

_NAMED_BY_USERS: Final = ("delta.constraints.",)
"""Before names that the user chooses for something else than a secret."""

_TELLING: Final = 4
"""Shorter values than this are parts of ordinary words."""


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
    if "=" in text or '":' in text or '" :' in text:
        import re

        text = re.sub(_PAIR, _masked_pair, text)
    if ":/" in text:
        import re

        text = re.sub(_PARAMETER, rf"\1{MASK}", re.sub(_LOGIN, rf"\1{MASK}@", text))
    for sign, kind in _KINDS:
        if sign in text:
            import re

            text = re.sub(kind, MASK, text)
    return text


def _masked_pair(pair: re.Match[str]) -> str:
    key, value = pair["key"], pair["value"]
    if not _is_secret_key(pair["quoted"] or key) or not _is_opaque(key, value.strip("'\"")):
        return pair[0]
    quote = value[0] if value[0] in "'\"" else ""
    if not quote and "/" in value:
        import re

        # A part of a path; only names of settings have dots.
        inside = pair.string[max(pair.start() - 1, 0) : pair.start()] == "/"
        if inside or ("." not in key and re.fullmatch(_PARTITION, value)):
            return pair[0]
    return f"{key}{pair['sign']}{quote}{MASK}{quote}"


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
    return masked(value) != value or (_is_secret_key(key) and _is_opaque(key, value))


@lru_cache(4096)
def _is_secret_key(key: str) -> bool:
    lower = key.lower()
    if not any(sign in lower for sign in _KEY_SIGNS):
        return False
    import re

    # Names are in camel case, with dots or with hyphens, as their authors like it.
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", key).lower()
    return re.search(_KEY, re.sub(r"[^a-z0-9]+", "_", words)) is not None


def _is_opaque(key: str, value: str) -> bool:
    import re

    if value.isdecimal():
        return "pass" in key.lower() or "pwd" in key.lower()
    return not re.fullmatch(_ORDINARY, value, re.DOTALL)


def secrets_among(entries: Mapping[str, str | None]) -> tuple[str, ...]:
    """The values of *entries* that are secrets."""
    return tuple({value for key, value in entries.items() if value and is_secret(key, value)})
