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
    (0, "success or nothing to do", "Done, or nothing to do; also a plan that was only shown."),
    (1, "findings, or a plan that is not empty with --check",
     "With --check: the plan is not empty. From validate: findings at or above --fail-on."),
    (2, "usage error",
     "The command line, the settings or a baseline cannot be parsed, or a file does not exist."),
    (3, "no readable table", "There is no table at that place, or its log cannot be read."),
    (4, "storage error", "The storage does not respond, denies access, or is not supported."),
    (5, "commit failed", "A commit did not happen, or its result is not what was planned."),
    (6, "Spark or a package missing", "Spark, Java or a package is missing or does not start."),
    (7, "refused", "The request is illegal, impossible or unsafe, or was not confirmed."),
    (8, "not yet", "The second of two runs has to wait. The message says until when."),
    (9, "some of several tables failed", "Several tables were given and some of them failed."),
    (70, "bug in deltaadm", "A bug in deltaadm. The traceback is on standard error."),
    (130, "interrupted", "Interrupted by Ctrl-C. The message says what was committed."),
    (141, "output pipe closed", "The reader of the output closed it, as `head` does."),
    (143, "terminated", "Terminated. The message says what was committed."),
)  # fmt: skip
"""Each exit code, in few words and in a sentence."""

VARIABLES: Final[Mapping[str, str]] = {
    "DELTAADM_CONFIG": "Settings file, instead of deltaadm.toml or pyproject.toml.",
    "DELTAADM_ISOLATED": "1 to ignore settings files.",
    "DELTAADM_CLIENTS": "Clients that must be able to read every table, separated by commas.",
    "DELTAADM_WRITERS": "Clients that must be able to write every table, separated by commas.",
}
"""The variables of deltaadm's own that belong to no option, and what they say."""

OTHER_VARIABLES: Final[Mapping[str, str]] = {
    "NO_COLOR": "If it is not empty: no colours.",
    "CLICOLOR": "0 for no colours.",
    "CLICOLOR_FORCE, FORCE_COLOR": "If it is not empty and not 0: colours, also in a pipe.",
    "COLUMNS": "Width of text, instead of that of the terminal.",
    "SOURCE_DATE_EPOCH": "Seconds since 1970: the present for inspect and validate.",
    "JAVA_HOME, SPARK_HOME": "The Java and the Spark that are used.",
    "UNITY_CATALOG_TOKEN, DATABRICKS_TOKEN": "The token for --unity.",
    "AWS_*, AZURE_*, GOOGLE_*": "Credentials and settings of object stores.",
}
"""Variables of other programs that are respected."""

TOPICS: Final[Mapping[str, Topic]] = {
    "exit-codes": Topic(
        "What each exit code means.",
        tuple((str(code), text) for code, _, text in EXIT_CODES),
        "With -o json and -o jsonl an error is a document on standard output; otherwise it is a "
        "sentence on standard error, and below it what to do.",
    ),
    "environment": Topic(
        "Environment variables.",
        (
            *VARIABLES.items(),
            ("DELTAADM_...", "An option of all commands: DELTAADM_OUTPUT=json is -o json."),
            *OTHER_VARIABLES.items(),
        ),
        "The command line takes precedence over variables, and they over settings files. 1 and 0 "
        "turn switches on and off; commas separate several values. Other options stand in settings "
        "files. `deltaadm config show -o json` lists all variables.",
    ),
    "formats": Topic(
        "Output formats, for -o.",
        (
            ("text", "For people at a terminal."),
            ("json, jsonl", "For programs: one document for each table, in jsonl one per line."),
            ("yaml", "The same documents as YAML."),
            ("name", "The names of tables, features or rules alone, one per line."),
            ("markdown", "For the summary of a CI job, or a comment."),
            ("html", "For a browser: one file that needs nothing else."),
            ("sql", "For Spark: the statements of a plan."),
            ("sarif", "Findings for code scanning (SARIF 2.1.0)."),
            ("junit", "Findings as test results."),
            ("github", "Findings as annotations of GitHub Actions."),
            ("gitlab", "Findings as GitLab's code quality report."),
        ),
        "-o FORMAT:FILE and --output-file FILE write to a file. "
        "`deltaadm schema` prints the JSON Schemas of documents. Answers go to standard output; "
        "progress, questions and errors to standard error.",
    ),
    "storage": Topic(
        "Where tables can be, and how they are named.",
        (
            ("/data/events", "A directory: the one that has _delta_log."),
            ("file:///data/events", "The same, as a URL."),
            ("delta.`/data/events`", "The same, as Spark SQL writes it."),
            ("s3://bucket/events", "Amazon S3 and what is compatible with it; also s3a://."),
            ("gs://bucket/events", "Google Cloud Storage."),
            ("abfss://container@account.dfs.core.windows.net/events", "Azure storage."),
            ("main.sales.events", "A name in a catalog."),
        ),
        "Credentials come from the environment, such as AWS_ACCESS_KEY_ID or "
        "AZURE_STORAGE_ACCOUNT_KEY, from the machine's role, or from --storage-options-file; never "
        "from the command line. --storage-option sets what is no secret, such as "
        "aws_endpoint=http://localhost:9000.",
    ),
}  # fmt: skip
"""The topics by their names."""
