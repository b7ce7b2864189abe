"""Delta Spark's commits on each kind of storage: the LogStore of a scheme, and what it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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


LOG_STORES: Final = (
    LogStoreFacts(
        "S3SingleDriverLogStore", frozenset({"s3", "s3a", "s3n"}), "hadoop-aws", alone=True
    ),
    LogStoreFacts(
        "AzureLogStore", frozenset({"abfs", "abfss", "adl", "wasb", "wasbs"}), "hadoop-azure"
    ),
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
    schemes = dict.fromkeys(place.partition("://")[0].lower() for place in locations)
    return [
        scheme
        for scheme in schemes
        if log_store(scheme).alone and not chosen_log_store(scheme, conf)
    ]


def chosen_log_store(scheme: str, conf: Mapping[str, str]) -> str | None:
    """The class that Spark settings name in place of Delta's choice; None if they name none."""
    keys = (setting(scheme), "spark.delta.logStore.class")
    return next((conf[key] for key in keys if conf.get(key)), None)


def setting(scheme: str) -> str:
    """The Spark setting that names the LogStore of a scheme."""
    return f"spark.delta.logStore.{scheme}.impl"
