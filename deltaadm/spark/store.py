"""Hadoop's file systems: how a Spark of our own reaches object stores, and tables' logs on them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast
from urllib.parse import unquote

from deltaadm.dataclass import dataclass
from deltaadm.domain.snapshot import LOG_DIRECTORY, FileInfo, Kind, listing_prefix, no_table
from deltaadm.errors import DeltaadmError, EngineError, MissingFileError, StorageError
from deltaadm.limits import LIMITS
from deltaadm.paths import is_absolute, require_inside
from deltaadm.spark import errors
from deltaadm.storage.local import missing, not_listed, too_large
from deltaadm.storage.ranges import RangedFile
from deltaadm.storage.store import is_remote, open_store, scheme_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Settings = Mapping[str, str]


# Commits on each kind of storage


@dataclass(frozen=True)
class LogStoreFacts:
    """
    What Delta uses for `schemes` by default (delta-io/delta: `DelegatingLogStore`).

    `connector` begins the name of the jar with Hadoop's file system, `package` is that of the same
    release as Spark's Hadoop; both are empty where Spark has it. `alone` says that only one driver
    at a time may write.
    """

    name: str
    schemes: frozenset[str]
    connector: str
    package: str
    alone: bool = False


_AZURES: Final = frozenset({"abfs", "abfss", "adl", "wasb", "wasbs"})
_S3: Final = frozenset({"s3", "s3a", "s3n"})
LOG_STORES: Final = (
    LogStoreFacts("S3SingleDriverLogStore", _S3, "hadoop-aws", "hadoop-aws", alone=True),
    LogStoreFacts("AzureLogStore", _AZURES, "hadoop-azure", "hadoop-azure"),
    LogStoreFacts("GCSLogStore", frozenset({"gs"}), "gcs-connector", "hadoop-gcp"),
)
_ELSEWHERE: Final = LogStoreFacts("HDFSLogStore", frozenset(), "", "")


def log_store(scheme: str) -> LogStoreFacts:
    """
    What Delta does on storage with *scheme*.

    >>> log_store("abfss").name
    'AzureLogStore'
    """
    return next((store for store in LOG_STORES if scheme in store.schemes), _ELSEWHERE)


def single_driver_schemes(locations: Iterable[str], conf: Mapping[str, str]) -> list[str]:
    """
    The schemes among *locations* on which Delta is safe for one driver alone, by *conf*.

    >>> single_driver_schemes(["s3a://lake/t", "abfss://c@a/t", "/data/t"], {})
    ['s3a']
    """
    schemes = dict.fromkeys(map(scheme_of, locations))
    return [each for each in schemes if log_store(each).alone and not chosen_log_store(each, conf)]


def chosen_log_store(scheme: str, conf: Mapping[str, str]) -> str | None:
    """The class that Spark settings name in place of Delta's choice; None if they name none."""
    keys = (setting(scheme), "spark.delta.logStore.class")
    return next((conf[key] for key in keys if conf.get(key)), None)


def setting(scheme: str) -> str:
    """The Spark setting that names the LogStore of a scheme."""
    return f"spark.delta.logStore.{scheme}.impl"


# Where Hadoop's file systems come from

_SDK: Final = "software.amazon.awssdk"
_SDKS: Final = {"org.apache.hadoop:hadoop-aws:3.5.0": "2.35.4"}
"""The release of Amazon's SDK that a release of hadoop-aws is made with."""

_SDK_MODULES: Final = ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
"""The modules of the SDK that hadoop-aws uses: 12 MB in place of a bundle of 686 MB."""

_IN_SPARK: Final = ("io.netty:*", "org.slf4j:*")
"""The dependencies of these modules that every Spark has."""


def missing_connector(location: str, conf: Settings, paths: Iterable[str]) -> str:
    """
    The Maven coordinates of the connector for *location*; empty where none is missing.

    That is one that is neither among the jars at *paths* nor in *conf*.

    >>> missing_connector("s3://lake/t", {}, ["jars/hadoop-client-api-3.5.0.jar"])
    'org.apache.hadoop:hadoop-aws:3.5.0'
    """
    facts, names = log_store(scheme_of(location)), [Path(path).name for path in paths]
    releases = [match[1] for name in names if (match := re.fullmatch(_HADOOP, name))]
    given = [value for key, value in conf.items() if "jars" in key or "ClassPath" in key]
    known = (facts.connector, facts.package)
    present = any(name in text for text in names + given for name in known)
    if not facts.connector or not releases or present:
        return ""
    return f"org.apache.hadoop:{facts.package}:{releases[0]}"


_HADOOP: Final = r"hadoop-client-api-(\d[\w.]*)\.jar"


def settings_for_connectors(
    locations: Iterable[str], conf: Settings, paths: Sequence[str]
) -> dict[str, str]:
    """
    The settings that get Hadoop's file systems for *locations* onto the class path.

    Nothing for those among the jars at *paths* or in *conf*, whose lists are part of the answer.
    """
    packages = [missing_connector(location, conf, paths) for location in locations]
    packages, excluded = list(dict.fromkeys(filter(None, packages))), list[str]()
    for sdk in filter(None, map(_SDKS.get, packages)):
        packages += [f"{_SDK}:{module}:{sdk}" for module in _SDK_MODULES]
        excluded += [f"{_SDK}:bundle", *_IN_SPARK]
    added = {"spark.jars.packages": packages, "spark.jars.excludes": excluded}
    return {
        key: ",".join(filter(None, (conf.get(key, ""), *names)))
        for key, names in added.items()
        if names
    }


# What is set for a store, in Hadoop's words


def configure(session: Any, stores: Mapping[str, Settings], conf: Settings) -> None:
    """
    Tell a session of our own how its file systems reach *stores*, unless *conf* says so.

    *stores* has what is set for each location besides the environment.
    """
    # On the running session: a JVM's arguments are seen by all who list processes.
    hadoop = session.sparkContext._jsc.hadoopConfiguration()
    for key, value in hadoop_settings(stores, os.environ, conf).items():
        # The site's own files, such as core-site.xml, take precedence.
        sources = hadoop.getPropertySources(key) or ()
        if not any(str(source).endswith("-site.xml") for source in sources):
            hadoop.set(key, value)


def hadoop_settings(
    stores: Mapping[str, Settings], environ: Settings, conf: Settings
) -> dict[str, str]:
    """
    The settings of Hadoop's file systems for the locations in *stores*, but for those in *conf*.

    *environ* is for all of a cloud, what is set for a location for its bucket or account alone.
    """
    settings: dict[str, str] = {}
    for location, options in stores.items():
        authority = location.partition("://")[2].partition("/")[0]
        connector = log_store(scheme_of(location)).connector
        if connector == "hadoop-aws":
            settings |= _AS_S3A
            given = _plain(environ, "aws_", only=True)
            if endpoint := given.get("endpoint_url_s3"):
                given["endpoint_url"] = endpoint
            settings |= {f"fs.s3a.{key}": text for key, text in _s3a(given).items()}
            own = _s3a(_plain(options, "aws_"), providers=False)
            settings |= {
                f"fs.s3a.bucket.{authority}.{key}": text
                for key, text in own.items()
                if f"{_SPARKS}fs.s3a.{key}" not in conf  # which it would overrule
            }
        elif connector == "hadoop-azure":
            given = {**_plain(environ, "azure_", only=True), **_plain(options, "azure_")}
            host = authority.rpartition("@")[2]
            # By account, so that one session can reach several.
            settings |= {f"fs.azure.{key}.{host}": text for key, text in _abfs(given).items()}
        elif connector == "gcs-connector":
            given = {**_plain(environ, "google_", only=True), **_plain(options, "google_")}
            # By itself the connector asks the machine it runs on.
            file = _first(given, "service_account", "service_account_path")
            kind = "APPLICATION_DEFAULT" if given.get("application_credentials") else ""
            gs = {
                "impl": "org.apache.hadoop.fs.gs.GoogleHadoopFileSystem",
                "project.id": _first(given, "cloud_project", "project"),
                "auth.type": "SERVICE_ACCOUNT_JSON_KEYFILE" if file else kind,
                "auth.service.account.json.keyfile": file,
            }
            settings |= {f"fs.gs.{key}": text for key, text in gs.items() if text}
    return {key: value for key, value in settings.items() if _SPARKS + key not in conf}


_SPARKS: Final = "spark.hadoop."
"""Before Hadoop's settings among those of Spark."""

# Hadoop itself knows s3a:// alone.
_AS_S3A: Final = {
    "fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
    "fs.AbstractFileSystem.s3.impl": "org.apache.hadoop.fs.s3a.S3A",
}


def _plain(options: Settings, prefix: str, *, only: bool = False) -> dict[str, str]:
    """Options by their names in lower case, without *prefix*; all must have it if *only* is set."""
    plain = {key.lower(): value for key, value in options.items()}
    return {
        key.removeprefix(prefix): value
        for key, value in plain.items()
        if value and (key.startswith(prefix) or not only)
    }


def _first(given: Settings, *names: str) -> str:
    return next((given[name] for name in names if given.get(name)), "")


def _s3a(given: Settings, *, providers: bool = True) -> dict[str, str]:
    """The settings of S3A; `providers` that hold for all buckets look into the environment."""
    own, sdk = "org.apache.hadoop.fs.s3a.", "software.amazon.awssdk.auth.credentials."
    ways = {"web_identity_token_file": "WebIdentityTokenFile", "profile": "Profile"}
    named = [f"{sdk}{name}CredentialsProvider" for key, name in ways.items() if given.get(key)]
    provider = ""  # Hadoop's own choice
    if _first(given, "skip_signature").lower() == "true":
        provider = f"{own}AnonymousAWSCredentialsProvider"
    elif providers and named:
        keys = [f"{own}{kind}AWSCredentialsProvider" for kind in ("Temporary", "Simple")]
        # Explicit keys come first and the role of the machine last, as in Hadoop's own list.
        provider = ",".join([*keys, *named, f"{own}auth.IAMInstanceCredentialsProvider"])
    endpoint = _first(given, "endpoint_url", "endpoint")
    region = _first(given, "region", "default_region")
    hosted = _first(given, "virtual_hosted_style_request").lower() == "true"
    settings = {
        "access.key": _first(given, "access_key_id"),
        "secret.key": _first(given, "secret_access_key"),
        "session.token": _first(given, "session_token", "token"),
        "endpoint": endpoint,
        # The SDK asks for a region even where the endpoint has none.
        "endpoint.region": region or ("us-east-1" if endpoint else ""),
        # Servers other than Amazon's seldom have a host name for each bucket.
        "path.style.access": "true" if endpoint and not hosted else "",
        "aws.credentials.provider": provider,
    }
    return {key: value for key, value in settings.items() if value}


def _abfs(given: Settings) -> dict[str, str]:
    storage = _plain(given, "storage_")
    key = _first(storage, "account_key", "access_key", "master_key")
    # A token that is copied from a URL begins with a question mark.
    token = _first(storage, "sas_token", "sas_key").removeprefix("?")
    client = _first(storage, "client_id")
    tenant = _first(storage, "tenant_id", "authority_id")
    secret = _first(storage, "client_secret")
    file = _first(storage, "federated_token_file")
    kind = "org.apache.hadoop.fs.azurebfs.oauth2."
    if key:
        return {"account.auth.type": "SharedKey", "account.key": key}
    if token:
        return {"account.auth.type": "SAS", "sas.fixed.token": token}
    if client and tenant and (secret or file):
        authority = _first(storage, "authority_host") or "https://login.microsoftonline.com"
        settings = {
            "account.auth.type": "OAuth",
            "account.oauth2.client.id": client,
            "account.oauth2.client.endpoint": f"{authority.rstrip('/')}/{tenant}/oauth2/token",
        }
        if secret:
            settings["account.oauth.provider.type"] = f"{kind}ClientCredsTokenProvider"
            settings["account.oauth2.client.secret"] = secret
        else:
            settings["account.oauth.provider.type"] = f"{kind}WorkloadIdentityTokenProvider"
            settings["account.oauth2.token.file"] = file
            settings["account.oauth2.msi.tenant"] = tenant
        return settings
    return {}


# Logs, as the session's own JVM sees them


def address(root: str) -> str:
    """
    A table's location in the form that Spark needs.

    >>> address("file:///data/a%20b")
    'file:/data/a b'
    """
    store = None if is_remote(root) else open_store(root)
    if store is None or store.local_path is None:
        return root.rstrip("/")
    # Spark's `..` does not follow links.
    path = PurePath(os.path.realpath(store.local_path)).as_posix()
    # Decoded, since Spark takes `%20` literally; with a scheme, since a path without one would
    # belong to the cluster's default file system.
    return store.qualifier + (path if path.startswith("/") else f"/{path}")


class Hadoop:
    """A *session*'s file systems, and `Directories` on them; `EngineError` on Spark Connect."""

    def __init__(self, session: SparkSession) -> None:
        if not hasattr(session, "_jvm"):
            raise EngineError(
                "On Spark Connect, only executors can read logs, for inspect, validate and plans "
                "that are not carried out at once; this command reads the log by way of the JVM.",
                remedy="Use --spark-master instead of --remote, or omit --engine spark.",
            )
        self.session = session
        jvm: Any = session._jvm
        # The session's, not the context's: what was set in the session is in there as well.
        self._conf: Any = session._jsparkSession.sessionState().newHadoopConf()
        self.path = jvm.org.apache.hadoop.fs.Path  # every step of such a name is a call
        self.array_to_string = jvm.org.apache.commons.lang3.ArrayUtils.toString
        self._bytes = jvm.org.apache.commons.io.IOUtils.toByteArray

    def open_store(self, location: str) -> HadoopStore:
        """The store for a table's location, given as everywhere, or in a scheme that Spark has."""
        return HadoopStore(self, location)

    def system_of(self, place: str) -> Any:
        """The file system that a place is on."""
        return self.path(place).getFileSystem(self._conf)

    def is_directory(self, place: str) -> bool:
        try:
            with _failures(place):
                return bool(self.system_of(place).getFileStatus(self.path(place)).isDirectory())
        except MissingFileError:
            return False

    def identity(self, place: str) -> str:
        """See `Directories`; no links are known of."""
        return place

    def look(self, place: str) -> Iterable[str] | None:
        """See `Directories`; a table, which may hold any number of files, is not listed."""
        if self.is_directory(self.join(place, LOG_DIRECTORY)):
            return None
        try:
            statuses = self.system_of(place).listStatusIterator(self.path(place))
            names = []
            while statuses.hasNext():  # Hadoop has a page at a time
                status = statuses.next()
                if status.isDirectory():
                    names.append(str(status.getPath().getName()))
        except errors.java_errors() as error:
            raise not_listed(
                place, errors.sentence(errors.error_text(error))[0].rstrip(".")
            ) from error
        return names

    def join(self, place: str, name: str) -> str:
        return f"{place.rstrip('/')}/{name}"

    def content(self, stream: Any, size: int | None = None) -> bytes:
        """The next *size* bytes of a stream, or all of them."""
        return bytes(self._bytes(stream) if size is None else self._bytes(stream, size))


class HadoopStore:
    """See `LogStore`; `log` is where the log is, as Spark tells it of files in there."""

    limits = LIMITS
    local_path = None
    survives_fork = False  # the connection to the JVM is not copied
    at_once = 1
    storage_options: Mapping[str, str] = {}
    catalog_state = None

    def __init__(self, hadoop: Hadoop, location: str) -> None:
        self.root = location
        self._hadoop = hadoop
        try:
            location.encode()
        except UnicodeEncodeError:
            raise StorageError(
                f"Cannot pass {location!r} to Spark: it is not valid Unicode.",
                remedy="Use a link with another name, or omit --engine spark.",
            ) from None
        with _failures(location):
            place = f"{address(location)}/{LOG_DIRECTORY}"
            self._system = hadoop.system_of(place)
            self.log = str(self._system.makeQualified(hadoop.path(place)).toString())

    @property
    def qualifier(self) -> str:
        # As in file:/t/_delta_log and hdfs://nn:8020/t/_delta_log.
        match = re.match(r"[A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*(?=/))?", self.log)
        return match[0] if match else ""

    def path(self, name: str) -> str:
        """The path of a file of the log, according to Spark."""
        return f"{self.log}/{name}"

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        first = listing_prefix(start) if start else ""
        files = self._list(self.log)
        if files is None:
            raise no_table(self.root)
        # Hadoop's `FileSystem` lists whole directories, none from a name on.
        return {file.path: file for file in files if file.path >= first}

    def list_short_log(self) -> None:
        """See `LogStore`; Hadoop does not tell how many requests a listing takes."""

    def read_ahead(self, paths: Iterable[str]) -> None:
        """See `LogStore`; the connection to the JVM has one request at a time."""

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        files = self._list(self.path(name)) or ()
        listed = (FileInfo(f"{name}/{file.path}", file.size, file.modified) for file in files)
        return {file.path: file for file in listed}

    def list_data(self) -> Iterator[FileInfo]:
        """A directory at a time: Hadoop's listing of all would be a call for each file."""
        pending = [""]
        while pending:
            below = pending.pop()
            for file in self._statuses(f"{self.log.removesuffix(LOG_DIRECTORY)}{below}") or ():
                path = f"{below}{file.path}"
                if file.regular:
                    yield FileInfo(path, file.size, file.modified)
                elif path != LOG_DIRECTORY:
                    pending.append(f"{path}/")

    def read(self, path: str) -> bytes:
        place = self.path(path)
        with _failures(place):
            where = self._hadoop.path(place)
            if not self._system.exists(where):  # which costs less than an exception
                raise missing(place)
            with closing(self._system.open(where)) as stream:
                size = int(stream.available())
                if size > self.limits.line:
                    raise too_large(place, size, self.limits.line)
                return self._hadoop.content(stream)

    def open(self, path: str) -> BinaryIO:
        return self._open(self._system, self.path(path))

    def data_size(self, path: str) -> int | None:
        place = self._data_path(path)
        try:
            with _failures(place):
                system = self._hadoop.system_of(place)
                status = system.getFileStatus(self._hadoop.path(place))
                return int(status.getLen()) if status.isFile() else None
        except MissingFileError:
            return None

    def open_data(self, path: str) -> BinaryIO:
        place = self._data_path(path)
        return self._open(self._hadoop.system_of(place), place)

    def _data_path(self, path: str) -> str:
        plain, root = unquote(path), self.log.removesuffix(LOG_DIRECTORY)
        if not is_absolute(path):
            place = f"{root}{plain}"
        else:
            # As Hadoop names the table itself: a path of this store may lack its authority.
            scheme = re.escape(self.qualifier.partition(":")[0])
            place = re.sub(rf"(?si)^(?:{scheme}:(?://)?)?(?=/(?!/))", self.qualifier, plain)
        return require_inside(path, place, [root])

    def _list(self, directory: str) -> list[FileInfo] | None:
        """The files directly in a directory, by their names; None if there is none."""
        entries = self._statuses(directory)
        # A directory may be in the place of a file of the log.
        return entries and [
            file for file in entries if file.regular or Kind.of(file.path) is not Kind.UNKNOWN
        ]

    def _statuses(self, directory: str) -> list[FileInfo] | None:
        """The same with the directories in it."""
        try:
            with _failures(directory):
                statuses = self._system.listStatus(self._hadoop.path(directory))
                # Each attribute of a status would be a call over a socket; the text of all is one.
                told = list(_STATUS.finditer(str(self._hadoop.array_to_string(statuses))))
                # A status that wraps another has no text of its own: then each is asked by itself.
                if len(told) != len(statuses) or (
                    told and told[0]["path"] != str(statuses[0].getPath().toString())
                ):
                    return list(map(_info, statuses))
                return [
                    FileInfo(
                        status["path"].rpartition("/")[2],
                        int(status["length"] or 0),
                        int(status["modified"]),
                        status["directory"] == "false",
                    )
                    for status in told
                ]
        except MissingFileError:
            return None

    def _open(self, system: Any, place: str) -> BinaryIO:
        with _failures(place):
            where = self._hadoop.path(place)
            size, stream = int(system.getFileStatus(where).getLen()), system.open(where)

        def fetch(start: int, end: int) -> bytes:
            with _failures(place):
                stream.seek(start)
                return self._hadoop.content(stream, end - start)

        return cast("BinaryIO", RangedFile(size, fetch, stream.close))


_STATUS: Final = re.compile(
    r"Status\{path=(?P<path>[^;]*); isDirectory=(?P<directory>false|true)"
    r"(?:; length=(?P<length>\d+); replication=\d+; blocksize=\d+)?"
    r"; modification_time=(?P<modified>\d+)"
)
"""A file in the words of Hadoop's `FileStatus.toString`: one call for a whole directory."""


def _info(status: Any) -> FileInfo:
    name, regular = str(status.getPath().getName()), bool(status.isFile())
    size = status.getLen() if regular else 0
    return FileInfo(name, size, status.getModificationTime(), regular)


@contextmanager
def _failures(path: str) -> Iterator[None]:
    try:
        yield
    except errors.java_errors() as error:
        raise failure(path, error) from error


_NOT_FOUND: Final = ("PATH_NOT_FOUND", "FILE_NOT_EXIST", "FileNotFoundException", "NoSuchFile")


def failure(path: str, error: Exception) -> DeltaadmError:
    """The error that an exception of Spark or Hadoop about a file amounts to."""
    text = errors.error_text(error)
    thrown = getattr(error, "java_exception", None)
    named = text if thrown is None else f"{thrown.getClass().getName()} {text}"
    cause = errors.sentence(text)[0].rstrip(".")
    if any(word in named for word in _NOT_FOUND):
        return missing(path)
    if any(word in named for word in errors.NO_FILE_SYSTEM):
        message = f"Spark has no file system for {path}: {cause}."
        return StorageError(message, remedy=errors.FILE_SYSTEM_REMEDY)
    return StorageError(
        f"Spark cannot read {path}: {cause}.", remedy="Check the location and Spark's access to it."
    )
