"""Profiles of `~/.aws`, which object_store does not read."""

from __future__ import annotations

from configparser import Error, RawConfigParser
from pathlib import Path
from typing import TYPE_CHECKING, Final

from deltaadm.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_CREDENTIALS: Final = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
_PLACES: Final = {"region": "aws_region", "endpoint_url": "aws_endpoint_url"}
"""Options by what profiles call them."""

_ELSEWHERE: Final = ("sso_session", "sso_start_url", "credential_process", "role_arn")
"""The keys of a profile that leaves its credentials to a program or a service."""

_OTHERS: Final = (
    "AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)  # fmt: skip
"""Variables with credentials, or the way to them, that come before the default profile."""


def profile_options(
    environ: Mapping[str, str], given: Collection[str], *, credentials: bool
) -> dict[str, str]:
    """
    What the profile in force says and neither *environ* nor the options *given* do.

    Its credentials are left out unless *credentials* are wanted. Raises `StorageError` for a
    profile that *environ* names and that does not exist or has no credentials of its own.
    """
    named = environ.get("AWS_PROFILE")
    profile = _profile(environ, named or "default")
    if named and profile is None:
        raise StorageError(
            f"There is no AWS profile {named}.",
            remedy="Check AWS_PROFILE, ~/.aws/config and ~/.aws/credentials.",
        )
    if profile is None:
        return {}
    known = {name.lower().removeprefix("aws_") for name in given}
    options = {
        option: profile[key]
        for key, option in _PLACES.items()
        if key in profile and not _is_set(option, environ, known)
    }
    # Before a profile that is named come keys alone, not roles of web identities or containers.
    taken = "access_key_id" in known or any(
        environ.get(name) for name in (_OTHERS[:1] if named else _OTHERS)
    )
    if not credentials or taken:
        return options
    own: dict[str, str] = {key: profile[key] for key in _CREDENTIALS if key in profile}
    if len(own) > 1:
        return {**options, **own}
    # obstore knows no profiles: it would look for a role of the machine, and fail for another
    # reason.
    if named and any(key in profile for key in _ELSEWHERE):
        raise StorageError(
            f"The AWS profile {named} leaves its credentials to another program or service.",
            remedy=f'Run eval "$(aws configure export-credentials --profile {named} --format env)" '
            "first.",
        )
    return options


def _is_set(option: str, environ: Mapping[str, str], known: Collection[str]) -> bool:
    names = {option, "aws_default_region"} if option == "aws_region" else {option}
    if option == "aws_endpoint_url":
        names |= {"aws_endpoint", "aws_endpoint_url_s3"}
    return any(name.removeprefix("aws_") in known or environ.get(name.upper()) for name in names)


def _profile(environ: Mapping[str, str], name: str) -> dict[str, str] | None:
    """The entries of both files for a profile, credentials first; None where neither has it."""
    home = Path(environ.get("HOME") or Path.home()) / ".aws"
    sections = (
        (environ.get("AWS_CONFIG_FILE") or home / "config", f"profile {name}"),
        # Only the default profile may do without the word before its name.
        (environ.get("AWS_CONFIG_FILE") or home / "config", name if name == "default" else ""),
        (environ.get("AWS_SHARED_CREDENTIALS_FILE") or home / "credentials", name),
    )
    profile: dict[str, str] | None = None
    for file, section in sections:
        parser = _parsed(Path(file).expanduser())
        if section and parser.has_section(section):
            profile = (profile or {}) | dict(parser.items(section))
    return profile


def _parsed(file: Path) -> RawConfigParser:
    """The file, without sections if there is none."""
    # Raw: a % in a value means nothing in these files.
    parser = RawConfigParser(strict=False, default_section="")
    try:
        parser.read_string(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError, Error) as error:
        raise StorageError(
            f"{file} cannot be read: {type(error).__name__}.",
            remedy="Correct it, or name another with AWS_CONFIG_FILE or "
            "AWS_SHARED_CREDENTIALS_FILE.",
        ) from error
    return parser
