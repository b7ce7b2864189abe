"""Errors of object stores: the cause in a sentence, and the remedy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from deltaadm.errors import FileMissing, StorageError, UnknownWrite, UsageError
from deltaadm.storage.option_checks import NOWHERE

if TYPE_CHECKING:
    from deltaadm.errors import DeltaadmError


class _Cause(NamedTuple):
    """The message for a text with one of `words` in it; {doing} and {url} are filled in."""

    words: tuple[str, ...]
    message: str
    remedy: str


_CANNOT: Final = "Cannot {doing} {url}: "
_CREDENTIALS: Final = {
    "s3": "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with AWS_SESSION_TOKEN if there is "
    "one (`aws configure export-credentials --format env` prints those of a profile), run where "
    "the machine has a role, or set AWS_SKIP_SIGNATURE=true for a public bucket.",
    "gs": "Set GOOGLE_APPLICATION_CREDENTIALS to a file with credentials, log in with `gcloud auth "
    "application-default login`, or run where the machine has a service account.",
    "az": "Set AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN "
    "or the variables of a service principal, set AZURE_USE_AZURE_CLI=true after `az login`, or "
    "run where the machine has an identity.",
    "ht": "Give a location that can be read without a login.",
}
"""The ways to give credentials, by the beginning of the scheme."""

_PERMISSIONS: Final = {
    "list": "s3:ListBucket", "read": "s3:GetObject and s3:ListBucket", "write": "s3:PutObject",
    "remove": "s3:DeleteObject",
}  # fmt: skip

# The first that fits counts: causes come before what they end in, such as a denied access.
_CAUSES: Final = (
    _Cause(
        ("NoSuchBucket", "ContainerNotFound", "specified bucket does not exist"),
        "There is no {noun} {bucket}.",
        "Check its name, and the endpoint if it is not the cloud's own.",
    ),
    _Cause(
        ("BadScheme",),
        _CANNOT + "the endpoint is plain HTTP, which must be allowed explicitly.",
        "Set AWS_ALLOW_HTTP, AZURE_ALLOW_HTTP or GOOGLE_ALLOW_HTTP to true, or give "
        "--storage-option allow_http=true, if the network is trusted.",
    ),
    _Cause(
        (NOWHERE,),
        _CANNOT + "the store redirects to another host, which is given no credentials.",
        "If that host is to be trusted, set it as the endpoint.",
    ),
    _Cause(
        ("InvalidHeaderValue", "InvalidUri", "RelativeUrlWithoutBase", "InvalidPort"),
        _CANNOT + "a credential or a setting of the store cannot be part of a request.",
        "Look for line breaks and odd characters in them, and for addresses that are not URLs.",
    ),
    _Cause(
        ("RequestTimeTooSkewed",),
        _CANNOT + "this machine's clock differs too much from the store's.",
        "Set the clock.",
    ),
    _Cause(
        ("ExpiredToken", "RequestExpired", "TokenRefreshRequired", "TokenExpired", "invalid_grant",
         "Signature not valid in the specified time frame"),
        _CANNOT + "the credentials have expired.",
        "Get new ones.",
    ),
    _Cause(
        ("169.254.169.254", "169.254.170.2", "168.63.129.16", "metadata.google.internal",
         "Missing AccessKeyId", "Missing SecretAccessKey", "MissingAccessKeyId",
         "MissingSecretAccessKey", "Account must be specified", "MissingAccount"),
        _CANNOT + "no credentials were found.",
        "{credentials}",
    ),
    _Cause(
        ("PermanentRedirect", "AuthorizationHeaderMalformed", "BareRedirect", "301 Moved",
         "Received redirect without LOCATION", "IllegalLocationConstraint"),
        _CANNOT + "its bucket is in another region than the one that is asked.",
        "Set AWS_REGION to the region of the bucket.",
    ),
    _Cause(
        ("InvalidAccessKeyId", "SignatureDoesNotMatch", "AuthenticationFailed", "InvalidToken",
         "InvalidAuthenticationInfo", "UnauthenticatedError", "401 Unauthorized", "invalid_client"),
        _CANNOT + "the store does not accept the credentials.",
        "Check that they are complete, and those of this store.",
    ),
    _Cause(
        ("AccessDenied", "403 Forbidden", "PermissionDenied", "AuthorizationPermissionMismatch",
         "AuthorizationFailure", "AllAccessDisabled"),
        _CANNOT + "permission denied.",
        "Ask for the permission to {doing} objects of {bucket}{permissions}.",
    ),
    _Cause(
        ("PreconditionError", "412 Precondition", "EOFError"),
        _CANNOT + "it was replaced meanwhile.",
        "Try again.",
    ),
    _Cause(
        ("PROPFIND", "405 Method Not Allowed", "501 "),
        _CANNOT + "the server does not list files, which takes WebDAV.",
        "Read the table where it is stored, or from a server that can list files.",
    ),
    _Cause(
        ("CorruptMessage", "InvalidContentType", "tls handshake", "TlsError", "received fatal"),
        _CANNOT + "the server does not speak TLS.",
        "Check the endpoint: its port, and whether it is plain HTTP.",
    ),
    _Cause(
        ("certificate", "InvalidCertificate"),
        _CANNOT + "the server's certificate is not accepted.",
        "Check the endpoint; SSL_CERT_FILE names a file with the certificates of an authority of "
        "your own.",
    ),
    _Cause(
        ("dns error", "failed to lookup address"),
        _CANNOT + "its host has no address.",
        "Check the endpoint, the region and the account.",
    ),
    _Cause(
        ("Connection refused", "ConnectionRefused"),
        _CANNOT + "the connection is refused.",
        "Check the endpoint and its port.",
    ),
    _Cause(
        ("TimedOut", "timed out", "Timeout", "deadline"),
        _CANNOT + "the server does not answer in time.",
        "Check the endpoint and the network.",
    ),
    _Cause(
        ("SlowDown", "503 Service", "429 Too Many", "ServerBusy", "rateLimitExceeded"),
        _CANNOT + "the store is overloaded, and stayed so.",
        "Try again later, and with a smaller --jobs.",
    ),
)  # fmt: skip


def failure(url: str, error: Exception, doing: str = "read") -> DeltaadmError:
    """The error that an exception in *doing* something to what is at *url* amounts to."""
    cause = _cause(f"{type(error).__name__}: {error}")
    # A missing bucket is a missing file to obstore, but "try again" does not help there.
    if isinstance(error, FileNotFoundError) and cause is not _CAUSES[0]:
        return FileMissing(
            f"The file {url} is missing.",
            remedy="Another process may be cleaning up the log; try again.",
            delta_error_class="FAILED_READ_FILE.FILE_NOT_EXIST",
        )
    if cause is not None:
        return _error(cause, url, doing)
    return StorageError(
        f"Cannot {doing} {url}: {_first_sentence(str(error))}.",
        remedy="Check the location, the endpoint and the credentials.",
    )


def known_failure(url: str, text: str, doing: str) -> StorageError | None:
    """The error for what another program says of *doing* something to *url*, if it is known."""
    cause = _cause(text)
    return None if cause is None else _error(cause, url, doing)


def _cause(text: str) -> _Cause | None:
    return next((row for row in _CAUSES if any(word in text for word in row.words)), None)


def _error(cause: _Cause, url: str, doing: str) -> StorageError:
    scheme = url[:2].lower()
    words = {
        "doing": doing,
        "url": url,
        "bucket": "/".join(url.split("/", 3)[:3]),
        "noun": "container" if scheme in {"az", "ab", "ad"} else "bucket",
        "credentials": _CREDENTIALS.get("az" if scheme in {"ab", "ad"} else scheme, ""),
        "permissions": f" ({_PERMISSIONS[doing]})" if scheme == "s3" else "",
    }
    return StorageError(cause.message.format_map(words), remedy=cause.remedy.format_map(words))


_DENIALS: Final = frozenset({
    "PermissionDeniedError", "UnauthenticatedError", "NotFoundError", "FileNotFoundError",
    "InvalidPathError", "NotSupportedError", "NotImplementedError",
})  # fmt: skip
"""With these a store turns a request away; of any other it may have heard."""


def failure_to_create(url: str, error: Exception) -> DeltaadmError:
    """The error of a conditional write."""
    # Unless the store denied it, it may have happened all the same.
    problem = failure(url, error, "write")
    if type(error).__name__ in _DENIALS:
        return problem
    return UnknownWrite(problem.message, remedy=problem.remedy)


def failure_of_options(location: str, error: Exception) -> DeltaadmError | UsageError:
    """The error for options with which no connection to *location* can be made."""
    if match := re.match(r"Configuration key: '([^']*)' is not valid", str(error)):
        return UsageError(
            f"{match[1]!r} is not an option of the store at {location}", option="--storage-option"
        )
    return failure(location, error)


_REQUEST: Final = r"Error performing [A-Z]+ \S+ in \S+(?: after \d+ retries[^-:]*)?(?: - |: )?"


def _first_sentence(text: str) -> str:
    """The message of an exception, without the details of the response and of the request."""
    line = re.sub(_REQUEST, "", text.strip().partition("\n")[0])
    line = re.sub(r"^Generic [\w ]+ error: ", "", line)
    return re.sub(r"<.*", "", line).strip(" :.-") or "the store's response cannot be understood"
