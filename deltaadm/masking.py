"""Secrets in URLs and settings, taken out of whatever deltaadm says."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MASK: Final = "***"

_LOGIN: Final = r"(:/{1,2}[^\s/:@\[]*:)(?!\d+(?:[/?#\s]|$))(?:[^\s/]*@|[^\s@]*@)"
"""The password may have a slash in it, as keys of Amazon do, unless it is a port."""

_PARAMETER: Final = (
    r"(?i)([?&][^\s=&?#/]*"
    r"(?:sig|signature|token|secret|passw(?:or)?d|credentials?|key|keyid|key-pair-id|policy)=)"
    r"[^\s&'\"`<>]+"
)
"""Part of the query of a signed URL: shared access signatures, presigned and the like."""


_SETTING: Final = (
    r"(?i)([^\s='\"]*(?:secret|passw(?:or)?d|token|credential|key|sas)[^\s='\"]*=)"
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
