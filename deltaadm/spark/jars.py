"""The sources of Delta's classes: the jars that Spark has, is given, or has to fetch."""

from __future__ import annotations

import os
import re
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass
from deltaadm.errors import EngineError, MissingFile, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

INSTALL: Final = "pip install 'deltaadm[spark]'"
"""The command that installs the Spark packages that fit each other."""

INSTALL_CONNECT: Final = "pip install 'deltaadm[connect]'"
"""The command that installs what a client of Spark Connect needs."""

_DELTA_JAR: Final = re.compile(
    r"(?:io\.delta_)?delta-spark(?:_(?P<spark>\d+\.\d+))?_(?P<scala>2\.\d+)-(?P<delta>[\w.-]+)\.jar"
)


@dataclass(frozen=True)
class DeltaJar:
    """A jar of Delta Spark; `spark` is the version it was built for, where its name says so."""

    path: str
    delta: str
    spark: str | None

    def require_fit(self) -> None:
        """
        Raise `EngineError` where it was made for another Spark than the installed pyspark.

        Where its name says no Spark it is one of the same major version, as all have been.
        """
        installed = version("pyspark")
        made_for = self.spark or self.delta.partition(".")[0]
        if not f"{installed}.".startswith(f"{made_for}."):
            raise EngineError(
                f"{self.path} is built for Spark {made_for}, not {installed}.",
                remedy=f"Use the jar whose name begins with "
                f"delta-spark_{'.'.join(installed.split('.')[:2])}.",
            )


def delta_jar(paths: Iterable[str]) -> DeltaJar | None:
    """The first of *paths* that is Delta's jar, judged by its name."""
    for path in paths:
        if match := _DELTA_JAR.fullmatch(path.replace("\\", "/").rpartition("/")[2]):
            return DeltaJar(path, match["delta"], match["spark"])
    return None


def jars_at(place: str) -> list[str]:
    """
    The jars that *place* stands for: a jar, or all of a directory.

    Raises `MissingFile` where there is nothing at all, and `Refused` where there is no jar.
    """
    path = Path(place)
    if not path.exists():
        raise MissingFile(f"No jar was found at {place}.", remedy="Check its name.")
    jars = sorted(map(str, path.glob("*.jar"))) if path.is_dir() else [place]
    if not jars or not all(Path(path).is_file() for path in jars):
        raise Refused(f"No jar was found at {place}.", remedy="Give a jar, or a directory of jars.")
    return jars


def jars_of(home: str) -> list[str]:
    """The jars that every session of the Spark at *home* has."""
    return sorted(str(path) for path in Path(home, "jars").glob("*.jar"))


def fetched_jars() -> list[str]:
    """The jars that Ivy has fetched for this user before."""
    user = Path(os.environ.get("HOME") or Path.home())
    return sorted(str(path) for path in user.glob(".ivy2*/jars/*.jar"))


def spark_home() -> str:
    """The home of Spark: `SPARK_HOME`, or inside the pyspark package."""
    from pyspark.find_spark_home import _find_spark_home

    return str(_find_spark_home())


def require_fitting_spark(home: str) -> None:
    """Raise `EngineError` where the Spark at *home* is of another release than pyspark."""
    release, installed = _release(home), version("pyspark")
    if release is not None and _minor(release) != _minor(installed):
        raise EngineError(
            f"{home} has Spark {release}, while pyspark is {installed}.",
            remedy=f"Unset SPARK_HOME, or pip install pyspark=={release}.",
        )


def _minor(release: str) -> list[str]:
    return release.split(".")[:2]


def _release(home: str) -> str | None:
    """The release of the Spark at *home*, by the name of its core jar."""
    for path in jars_of(home):
        if match := re.fullmatch(r"spark-core_2\.\d+-(.+)\.jar", Path(path).name):
            return match[1]
    return None


def require_fitting_packages() -> None:
    """Raise `EngineError` where delta-spark wants another pyspark than the installed one."""
    from packaging.requirements import Requirement

    installed = version("pyspark")
    for text in requires("delta-spark") or ():
        requirement = Requirement(text)
        if requirement.name == "pyspark" and installed not in requirement.specifier:
            raise EngineError(
                f"delta-spark {version('delta-spark')} requires pyspark {requirement.specifier}, "
                f"not {installed}.",
                remedy=INSTALL,
            )


def brings_delta(conf: Mapping[str, str]) -> bool:
    """Whether Spark settings name Delta's jars already."""
    named = ",".join(conf.get(key, "") for key in ("spark.jars", "spark.jars.packages"))
    on_path = ":".join(conf.get(key, "") for key in _CLASS_PATHS)
    return "delta-spark" in named or "delta-spark" in on_path


_CLASS_PATHS: Final = ("spark.driver.extraClassPath", "spark.executor.extraClassPath")


def default_settings(home: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The settings that the Spark at *home* reads from `spark-defaults.conf` before any other."""
    directory = environ.get("SPARK_CONF_DIR") or os.path.join(home, "conf")  # noqa: PTH118
    return read_settings(Path(directory, "spark-defaults.conf"))


def read_settings(file: Path) -> dict[str, str]:
    """The settings in a file of properties; none where there is no such file."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    lines = (line.strip() for line in text.splitlines())
    # As java.util.Properties reads it: a blank, = or : ends the key.
    pairs = (re.split(r"\s*[=:\s]\s*", line, maxsplit=1) for line in lines if line[:1] != "#")
    return {pair[0]: pair[1] for pair in pairs if len(pair) > 1}


def settings_at_start(conf: Mapping[str, str]) -> dict[str, str]:
    """The settings of a session that is started with *conf*; *conf* alone without pyspark."""
    try:
        return default_settings(spark_home()) | dict(conf)
    except ImportError:
        return dict(conf)


def settings_for_delta(conf: Mapping[str, str], jars: Sequence[str]) -> dict[str, str]:
    """
    The settings that get Delta onto the class path, given *conf* and the jars of the user.

    Nothing where it is there already: named by *conf* or `spark-defaults.conf`, or among Spark's
    own jars. The user's jars come next; else the package that fits the installed pyspark is
    fetched, or taken from where Ivy keeps what it has fetched.

    Raises `EngineError` where Spark, Delta and the installed pyspark do not fit each other.
    """
    home = spark_home()
    require_fitting_spark(home)
    settings: dict[str, str] = {}
    if jars:
        settings["spark.jars"] = joined(*jars, conf.get("spark.jars", ""))
    if jar := delta_jar((*jars_of(home), *jars)):
        jar.require_fit()
        return settings
    if brings_delta({**default_settings(home), **conf}):
        return settings
    packages = joined(delta_package(), conf.get("spark.jars.packages", ""))
    return settings | {"spark.jars.packages": packages}


def joined(*names: str) -> str:
    """Lists with commas as one list, in which everything stands once."""
    every = (item for items in names for item in items.split(","))
    return ",".join(dict.fromkeys(filter(None, every)))


def delta_package() -> str:
    """
    The Maven coordinates of the Delta that fits the installed pyspark.

    Raises `EngineError` where either is missing or they do not fit each other.
    """
    try:
        require_fitting_packages()
        from delta import configure_spark_with_delta_pip
        from pyspark.sql import SparkSession
    except (PackageNotFoundError, ImportError) as error:
        raise missing(error.name or "delta-spark") from error
    # Delta's own helper knows how the package is called for this release of Spark.
    builder = configure_spark_with_delta_pip(SparkSession.builder)
    return str(builder._options["spark.jars.packages"])  # there is no public way to read it


def missing(package: str) -> EngineError:
    """The error for a package that Spark needs and that is not installed."""
    return EngineError(
        f"This needs Spark, but the package {package} is not installed.",
        remedy=f"{INSTALL}, or, for a change that touches no rows, --commit-engine embedded.",
    )
