"""The context of a run: access to tables, output, and what was committed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from time import time_ns

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import SettingsError, UsageError
from deltaadm.formats import Style
from deltaadm.runs.options import AccessOptions, Engine, OutputOptions, SparkOptionGroup, pairs
from deltaadm.runs.settings_file import SettingsSources
from deltaadm.runs.status import CommitStatus
from deltaadm.storage.store import LogStore, ObjectStores, is_remote, open_store, require_no_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from deltaadm.domain.transaction.removal import FeatureHistory
    from deltaadm.runs.unity import Unity
    from deltaadm.spark.catalog import DeltaCatalog
    from deltaadm.spark.engine import SparkEngine
    from deltaadm.spark.fleet import Executors
    from deltaadm.spark.store import Hadoop


@dataclass(frozen=True)
class RunContext:
    """
    What all parts of a run share; a part that needs more of it makes another one.

    `commit_engine` commits plans. `object_stores` are those that are reached without Spark, as
    `access` says, and `unity` the catalog that is asked without it. `hadoop` and `engine` read logs
    where Spark does, by its JVM, and `executors` those of fleets; a session on Spark Connect has
    executors alone. `catalog` is there where names are looked up in Spark's catalogs or tables
    created. All four belong to the session that is open. Another process gets a context without
    them, and with a status of its own. `settings` are what else than options has been said, and
    `arguments` the command line as it was typed.
    """

    status: CommitStatus
    spark: SparkOptionGroup = field(default_factory=SparkOptionGroup)
    format: str = "text"
    style: Style = Style()
    access: AccessOptions = field(default_factory=AccessOptions)
    commit_engine: Engine = Engine.SPARK
    object_stores: ObjectStores | None = None
    settings: SettingsSources = field(default_factory=SettingsSources)
    unity: Unity | None = None
    hadoop: Hadoop | None = None
    engine: SparkEngine | None = None
    catalog: DeltaCatalog | None = None
    executors: Executors | None = None
    arguments: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        spoken = self.spark, self.format, self.style, self.access, self.commit_engine
        settings = self.settings.of(self.settings.command)  # files that are read are not there
        return RunContext, (CommitStatus(), *spoken, self.object_stores, settings)

    def with_request(
        self,
        spark: SparkOptionGroup | None,
        output: OutputOptions | None,
        access: AccessOptions | None,
        own: Mapping[str, str] | None = None,
    ) -> RunContext:
        """
        The same run, for a command that is asked to use Spark and to show results like this.

        *access*, the settings and *own* options say how catalogs and object stores are reached. A
        command without such options uses the defaults. Raises `UsageError` for what does not go
        together.
        """
        spark, output = spark or self.spark, output or OutputOptions()
        style = Style(
            color=output.color, show_secrets=output.show_secrets, selection=output.selection
        )
        shown = (target.format for target in output.targets if target.file == output.file)
        stores, unity = self.object_stores, self.unity
        if access is not None:
            if access.unity is not None and spark.engine is Engine.SPARK:
                raise UsageError(
                    "cannot be combined with --engine spark, which uses Spark's own catalogs",
                    option="--unity",
                    remedy="Leave out --engine spark, which this catalog does not need; or "
                    "leave out --unity and connect Spark to the catalog: --spark-conf "
                    "spark.sql.catalog.NAME=io.unitycatalog.spark.UCSingleCatalog.",
                )
            unity = None  # the catalog that knows the names of tables, asked without Spark
            if access.unity is not None or self.settings.find("unity") is not None:
                from deltaadm.runs.unity import Unity

                unity = Unity(access, self.settings)
            source = partial(_options_source, access, self.settings, own)
            if access.storage_option or access.storage_options_file:
                source()  # a mistake in them is an error for local tables too
            stores = ObjectStores(source, None if unity is None else unity.credentials)
        return replace(
            self,
            spark=spark,
            format=next(shown, "text"),
            style=style,
            access=access or self.access,
            object_stores=stores,
            unity=unity,
        )

    @property
    def session(self) -> SessionSettings:
        """The settings of Spark that plans depend on, from the command line."""
        return SessionSettings.from_conf(pairs(self.spark.spark_conf, "--spark-conf"))

    def locate(self, place: str) -> str:
        """The location of the table at *place*; raises as `open_store`, and for a secret in it."""
        require_no_secret(place)
        if self.hadoop is not None and is_remote(place):
            return place.rstrip("/")
        store = open_store(place, object_stores=self.object_stores)
        # Without links, so that a plan notices when one comes to lead elsewhere.
        return store.root if store.local_path is None else os.path.realpath(store.local_path)

    def open_store(self, location: str) -> LogStore:
        """The store for a *location* that `locate` has found."""
        require_no_secret(location)
        if self.hadoop is not None:
            return self.hadoop.open_store(location)
        store = open_store(location, object_stores=self.object_stores)
        return store if self.unity is None else self.unity.ratified(store, location)

    def history_of(self, snapshot: Snapshot, feature: str) -> FeatureHistory:
        """The traces of *feature* in the log of the table in *snapshot*."""
        from deltaadm.replay.timeline import feature_history

        return feature_history(self.open_store(snapshot.root), snapshot, feature)


def _options_source(
    access: AccessOptions, settings: SettingsSources, own: Mapping[str, str] | None
) -> Callable[[str], Mapping[str, str]]:
    from deltaadm.runs.unity import options_source  # which local tables do without

    return options_source(access, settings, own)


def do_without_numpy(context: RunContext | None = None, *, commits: bool = False) -> None:
    """
    Let pyarrow be imported without numpy, which takes half the time.

    Not where the run in *context* commits through Spark, which needs it.
    """
    if commits and context is not None and context.commit_engine is Engine.SPARK:
        return
    # Nothing of ours needs numpy, but pyspark does, and pyarrow stays with what it found when it
    # was imported.
    if sys.modules.keys().isdisjoint(("numpy", "pyarrow", "pyspark")):
        sys.modules["numpy"] = None  # type: ignore[assignment]


def now() -> int:
    """The time of day, in milliseconds since the epoch."""
    return time_ns() // 1_000_000


def answer_time() -> int:
    """Now, or what SOURCE_DATE_EPOCH says, in milliseconds; `SettingsError` for no number."""
    # Not for plans: whether a change may be made now is for the clock to say.
    text = os.environ.get("SOURCE_DATE_EPOCH")
    if not text:
        return now()
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise SettingsError(
            f"SOURCE_DATE_EPOCH is not a number of seconds: {text!r}.",
            remedy="Set it to seconds since 1970, as `date +%s` prints them, or unset it.",
        )
    return int(text) * 1000


_DIGITS: Final = 12
