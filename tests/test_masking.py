"""Secrets in sentences: masked wherever a value ends, and paths left as they are."""

from pathlib import Path

import pytest

from deltaadm.masking import masked
from tests.support import tables
from tests.support.program import deltaadm, process
from tests.support.tables import commit, metadata, protocol

MASKED = {
    "my.secret=ab/cd": "my.secret=***", "secret=a/b/c": "secret=***",
    "aws_secret_access_key=a/b+c==": "aws_secret_access_key=***",
    "my.secret.key = ab/cd, and more": "my.secret.key = ***, and more",
    "(my.secret=ab/cd).": "(my.secret=***).", "my.secret=ab/cd.e/f": "my.secret=***",
    "got 'my.secret'=ab/cd; stop": "got 'my.secret'=***; stop", "password=abc": "password=***",
}  # fmt: skip
PATHS = (
    "token=abc/part-0.parquet", "/data/token=abc/day=1", "data/token=a/b", "token=abc/day=1/",
    "token=abc/", "token=abc/_delta_log/00000000000000000000.json", "my.secret=true",
)  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MASKED.items())
def test_a_secret_is_masked_with_its_slashes(text: str, expected: str) -> None:
    assert masked(text) == expected


@pytest.mark.parametrize("path", PATHS)
def test_the_path_of_a_partition_is_none(path: str) -> None:
    assert masked(path) == path
    assert masked(f"The file {path} is missing.") == f"The file {path} is missing."


SECRET = "Zq3vKx81LmPw07Tt"  # noqa: S105
SECRETS = {
    "jdbc.url": f"jdbc:sqlserver://h;user=sa;password={SECRET};",
    "odbc": f"Driver=x;Uid=me;Pwd={SECRET};",
    "kafka.jaas": f'ScramLoginModule required username="u" password="{SECRET}";',
    "header": f"Authorization: Bearer {SECRET}",
    "event.hub": f"Endpoint=sb://h/;SharedAccessKey={SECRET}{SECRET}=",
    "hook": f"https://hooks.slack.com/services/T0/B0/{SECRET}", "slack": f"xoxb-{SECRET}",
    "github": f"github_pat_{SECRET}{SECRET}", "google": f"AIza{SECRET}{SECRET}abc",
    "stripe": f"sk_live_{SECRET}", "openai": f"sk-proj-{SECRET}", "node": f"npm_{SECRET}{SECRET}",
    "hugging": f"hf_{SECRET}{SECRET}", "session": "ASIA" + "Z" * 16,
    "document": f'{{"user":"u","password":"{SECRET}"}}', "my.secrets": SECRET, "passwords": SECRET,
    "apikey": SECRET, "secretkey": SECRET, "privatekey": SECRET, "encryption.key": SECRET,
    "db.pass": SECRET, "ldap.bind.pw": SECRET, "user.pass": SECRET, "my.cred": SECRET,
    "my.password.old": SECRET, "fs.azure.sas.c.account.dfs.core.windows.net": f"sv=1&sig={SECRET}",
    "my.password": "12345678", "my.secret": "12345678", "password.hash": SECRET, "web.sig": SECRET,
    "parquet.encryption.key.list": SECRET, "gitlab": f"glpat-{SECRET}",
    "jwt": f"eyJ{SECRET}.eyJ{SECRET}.{SECRET}",
    "encrypted.jwt": f"eyJ{SECRET}.{SECRET}.{SECRET}.{SECRET}.{SECRET}",
    "nested.document": f'{{"sink":"{{\\"password\\":\\"{SECRET}\\"}}"}}',
    "python": f"{{'password': '{SECRET}'}}", "variable": f"PGPASSWORD={SECRET}",
    "long": f"https://me:{SECRET * 100}@host/x", "encoded": f"https://me%3A{SECRET}%40host/x",
}  # fmt: skip
ORDINARY = {
    "delta.appendOnly": "true", "primary.key": "id", "key": "day", "partition.keys": "a,b",
    "team": "tokens and passwords", "note": "s3://bucket/key=1/x", "max.token": "512",
    "owner": "hf", "region": "ASIA_PACIFIC_REGION_2024", "package": "npm_package_config_registry",
    "secret.scope": "prod", "retention": "interval 7 days",
    "uuid": "d3186196-74bb-4a4d-885d-6222c1d69b88",
}  # fmt: skip


def test_kinds_of_secrets_are_masked_and_nothing_else(tmp_path: Path) -> None:
    configuration = metadata({**SECRETS, **ORDINARY})
    table = tables.table(tmp_path / "t", commit(protocol(1, 2), configuration))
    values = deltaadm("inspect", table.path, "-o", "json").document["metadata"]["configuration"]
    assert [key for key in SECRETS if SECRET in values[key] or values[key] == SECRETS[key]] == []
    assert {key: values[key] for key in ORDINARY} == ORDINARY


@pytest.mark.slow
def test_no_text_takes_long(tmp_path: Path) -> None:
    """Where a pattern is quadratic, this takes hours; the time limit is that of a hang."""
    units = [
        ":/", "://a:", "eyJ", "{}", "}", "a", "key", "=", "&sig", "'a", "AccountKey=", "password",
        "a.b-", "%3A://", "github_pat_", '\\"a\\":',
    ]  # fmt: skip
    texts = [unit * (1_000_000 // len(unit)) + "@" for unit in units]
    for text in texts:
        masked(text)
    properties = {
        f"my.{key}.{at}": text for at, text in enumerate(texts) for key in ("key", "password")
    }
    table = tables.table(tmp_path / "t", commit(protocol(1, 2), metadata(properties)))
    assert process("inspect", table.path, "--timeout", "5min").code == 0
