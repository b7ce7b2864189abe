"""The topics of `deltaadm help` besides commands."""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


class Topic:
    """A topic: a sentence, a table of words and what they mean, and paragraphs."""

    def __init__(self, summary: str, rows: tuple[tuple[str, str], ...], *text: str) -> None:
        self.summary = summary
        self.rows = rows
        self.text = text


EXIT_CODES: Final = (
    (0, "Done, or nothing to do; also if a plan was only shown."),
    (1, "Findings at or above --fail-on; --check: a plan that is not empty; diff: differences."),
    (2, "Usage error: an unknown name, a missing file, or an invalid setting or baseline."),
    (3, "No table at that location, or its log cannot be read."),
    (4, "The storage does not respond, denies access, or is not supported."),
    (5, "The commit failed, or its result is not what was planned."),
    (6, "Spark, Java or a package is missing or does not start."),
    (7, "Refused: the request is illegal, impossible or unsafe, or was not confirmed."),
    (8, "Not yet: the second of two runs has to wait. The message says until when."),
    (9, "Some of several tables failed."),
    (70, "A bug in deltaadm. The traceback is on standard error."),
    (130, "Interrupted by Ctrl-C. The message says what was committed."),
    (141, "The reader of the output closed it, as `head` does."),
    (143, "Terminated. The message says what was committed."),
)  # fmt: skip
"""What each exit code means."""

VARIABLES: Final[Mapping[str, str]] = {
    "DELTAADM_CONFIG": "Settings file to use instead of deltaadm.toml or pyproject.toml.",
    "DELTAADM_ISOLATED": "1: ignore settings files.",
    "DELTAADM_CLIENTS": "Clients that must be able to read every table, as in trino@480,duckdb.",
    "DELTAADM_WRITERS": "Clients that must be able to write every table.",
}
"""The variables of deltaadm's own that belong to no option, and what they say."""

OTHER_VARIABLES: Final[Mapping[str, str]] = {
    "NO_COLOR": "Any value: no colors.",
    "CLICOLOR": "0: no colors.",
    "CLICOLOR_FORCE, FORCE_COLOR": "Any value but 0: colors, even in a pipe.",
    "COLUMNS": "Wrap text at this width, even in a pipe.",
    "SOURCE_DATE_EPOCH": "Use this time as now, in seconds since 1970, in inspect and validate.",
    "JAVA_HOME, SPARK_HOME": "The Java and the Spark to use.",
    "UNITY_CATALOG_TOKEN, DATABRICKS_TOKEN": "Token for --unity.",
    "AWS_*, AZURE_*, GOOGLE_*": "Credentials and settings of object stores.",
}
"""Variables of other programs that are respected."""

TOPICS: Final[Mapping[str, Topic]] = {
    "exit-codes": Topic(
        "What each exit code means.",
        tuple((str(code), text) for code, text in EXIT_CODES),
        "With -o json or jsonl, an error is a document on standard output; otherwise it is a "
        "message on standard error.",
    ),
    "options": Topic(
        "Options that commands share.",
        (),
        "Not every command has all of them: `deltaadm COMMAND --help` lists its own.",
    ),
    "environment": Topic(
        "Environment variables.",
        (
            *VARIABLES.items(),
            ("DELTAADM_...", "A shared option: DELTAADM_OUTPUT=json is -o json."),
            *OTHER_VARIABLES.items(),
        ),
        "The command line wins over variables, and variables win over settings files. Switches are "
        "1 or 0; commas separate values. `deltaadm config show -o json` lists all variables.",
    ),
    "formats": Topic(
        "Output formats, for -o.",
        (
            ("text", "For people at a terminal."),
            ("json, jsonl", "For programs: one document per table; jsonl prints one per line."),
            ("yaml", "The same documents as YAML."),
            ("name", "Only the names of tables, features or rules, one per line."),
            ("markdown", "For a CI job's summary, or a comment."),
            ("html", "For a browser: a single, self-contained file."),
            ("sql", "For Spark: the statements of a plan."),
            ("sarif", "Findings for code scanning (SARIF 2.1.0)."),
            ("junit", "Findings as test results."),
            ("github", "Findings as annotations in GitHub Actions."),
            ("gitlab", "Findings as a GitLab code quality report."),
        ),
        "-o FORMAT:FILE and --output-file FILE write to a file. `deltaadm schema` prints the JSON "
        "Schema of each document. Results go to standard output; progress, questions and errors go "
        "to standard error.",
    ),
    "storage": Topic(
        "How to name tables, and how to reach them.",
        (
            ("/data/events", "A directory: the one with _delta_log in it."),
            ("file:///data/events", "The same, as a URL."),
            ("delta.`/data/events`", "The same, as Spark SQL writes it."),
            ("s3://bucket/events", "Amazon S3 and compatible stores; also s3a://."),
            ("gs://bucket/events", "Google Cloud Storage."),
            ("abfss://container@account.dfs.core.windows.net/events", "Azure storage."),
            ("main.sales.events", "A name in Unity Catalog (--unity) or in Spark's catalog."),
            ("@events", "An alias from the settings; `deltaadm config aliases` lists them."),
        ),
        "Options name more tables: --discover DIRECTORY, --catalog PATTERN, --tables-from FILE.",
        "Credentials come from the environment (AWS_ACCESS_KEY_ID, AZURE_STORAGE_ACCOUNT_KEY and "
        "so on), from the machine's role, or from --storage-options-file, never from the command "
        "line. --storage-option sets the rest, for example aws_endpoint=http://localhost:9000.",
    ),
}  # fmt: skip
"""The topics by their names."""
