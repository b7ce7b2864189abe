"""Object stores for a Spark of our own: Hadoop's connectors, and Delta's commits on each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass

if TYPE_CHECKING:
    Settings = Mapping[str, str]


# Commits on each kind of storage


@dataclass(frozen=True)
class LogStoreFacts:
    """
    What Delta uses for `schemes` by default (delta-io/delta: `DelegatingLogStore`).

    `connector` begins the name of the jar with Hadoop's file system, empty where Spark has it;
    `alone` says that only one driver at a time may write.
    """

    name: str
    schemes: frozenset[str]
    connector: str
    alone: bool = False


_AZURES: Final = frozenset({"abfs", "abfss", "adl", "wasb", "wasbs"})
LOG_STORES: Final = (
    LogStoreFacts("S3SingleDriverLogStore", frozenset({"s3", "s3a", "s3n"}), "hadoop-aws", True),
    LogStoreFacts("AzureLogStore", _AZURES, "hadoop-azure"),
    LogStoreFacts("GCSLogStore", frozenset({"gs"}), "gcs-connector"),
)
_ELSEWHERE: Final = LogStoreFacts("HDFSLogStore", frozenset(), "")


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

_CONNECTORS: Final = {
    "hadoop-aws": "org.apache.hadoop:hadoop-aws",
    "hadoop-azure": "org.apache.hadoop:hadoop-azure",
    "gcs-connector": "org.apache.hadoop:hadoop-gcp",
}
"""The packages of the same release as Spark's Hadoop; the last one is there from 3.5 on."""

_SDK: Final = "software.amazon.awssdk"
_SDK_RELEASES: Final = {"3.5.0": "2.35.4"}
"""The release of Amazon's SDK that a release of hadoop-aws is made with."""

_SDK_MODULES: Final = ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
"""The modules of the SDK that hadoop-aws uses: 12 MB in place of a bundle of 686 MB."""

_IN_SPARK: Final = ("io.netty:*", "org.slf4j:*")
"""The dependencies of these modules that every Spark has."""


def scheme_of(location: str) -> str:
    """The scheme of a URL in lower case; empty for a path."""
    scheme, separator, _ = location.partition("://")
    return scheme.lower() if separator else ""


def connector_package(connector: str, paths: Iterable[str]) -> str | None:
    """
    The Maven coordinates of *connector* for the Hadoop among the jars at *paths*.

    None where there is none for that Hadoop.

    >>> connector_package("hadoop-aws", ["jars/hadoop-client-api-3.5.0.jar"])
    'org.apache.hadoop:hadoop-aws:3.5.0'
    """
    jars = (re.fullmatch(_HADOOP, Path(path).name) for path in paths)
    release = next((match[1] for match in jars if match), "")
    if not release or connector not in _CONNECTORS:
        return None
    if connector == "gcs-connector" and tuple(map(int, re.findall(r"\d+", release)[:2])) < (3, 5):
        return None
    return f"{_CONNECTORS[connector]}:{release}"


_HADOOP: Final = r"hadoop-client-api-(\d[\w.]*)\.jar"


def has_connector(connector: str, paths: Iterable[str], conf: Settings) -> bool:
    """Whether the jars at *paths* or those that *conf* names have the connector already."""
    names = (connector, _CONNECTORS[connector].rpartition(":")[2])
    texts = [Path(path).name for path in paths]
    texts += [value for key, value in conf.items() if "jars" in key or "ClassPath" in key]
    return any(name in text for text in texts for name in names)


def settings_for_connectors(
    locations: Iterable[str], conf: Settings, paths: Sequence[str]
) -> dict[str, str]:
    """
    The settings that get Hadoop's file systems for *locations* onto the class path.

    Nothing for those among the jars at *paths* or in *conf*, whose lists are part of the answer.
    """
    packages, excluded = [], []
    connectors = (log_store(scheme_of(location)).connector for location in locations)
    for connector in dict.fromkeys(connectors):
        if not connector or has_connector(connector, paths, conf):
            continue
        package = connector_package(connector, paths)
        if package is None:
            continue
        packages.append(package)
        sdk = _SDK_RELEASES.get(package.rpartition(":")[2])
        if connector == "hadoop-aws" and sdk is not None:
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
            settings |= {f"fs.gs.{key}": text for key, text in _gs(given).items()}
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
        "aws.credentials.provider": _providers(given, everywhere=providers),
    }
    return {key: value for key, value in settings.items() if value}


_OWN_PROVIDERS: Final = "org.apache.hadoop.fs.s3a."
_SDK_PROVIDERS: Final = "software.amazon.awssdk.auth.credentials."


def _providers(given: Settings, *, everywhere: bool) -> str:
    """The credentials provider, where it is not Hadoop's own choice."""
    if _first(given, "skip_signature").lower() == "true":
        return f"{_OWN_PROVIDERS}AnonymousAWSCredentialsProvider"
    more = {
        "web_identity_token_file": "WebIdentityTokenFileCredentialsProvider",
        "profile": "ProfileCredentialsProvider",
    }
    named = [f"{_SDK_PROVIDERS}{name}" for key, name in more.items() if given.get(key)]
    if not everywhere or not named:
        return ""
    keys = [f"{_OWN_PROVIDERS}{kind}AWSCredentialsProvider" for kind in ("Temporary", "Simple")]
    # Explicit keys come first and the role of the machine last, as in Hadoop's own list.
    return ",".join([*keys, *named, f"{_OWN_PROVIDERS}auth.IAMInstanceCredentialsProvider"])


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


def _gs(given: Settings) -> dict[str, str]:
    """The settings of the connector for Google, which by itself asks the machine it runs on."""
    settings = {
        "impl": "org.apache.hadoop.fs.gs.GoogleHadoopFileSystem",
        "project.id": _first(given, "cloud_project", "project"),
    }
    file = _first(given, "service_account", "service_account_path")
    if file:
        settings["auth.type"] = "SERVICE_ACCOUNT_JSON_KEYFILE"
        settings["auth.service.account.json.keyfile"] = file
    elif _first(given, "application_credentials"):
        settings["auth.type"] = "APPLICATION_DEFAULT"
    return {key: value for key, value in settings.items() if value}
