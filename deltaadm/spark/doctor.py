"""Whether Spark could start here, and with which Delta; and the archive of classes."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from deltaadm.blocks import Check, Health
from deltaadm.errors import DeltaadmError, EngineError
from deltaadm.masking import masked
from deltaadm.spark import jvm
from deltaadm.spark.errors import error_text, sentence
from deltaadm.spark.session import (
    CONNECT,
    SparkOptions,
    open_session,
    require_reachable,
    without_secrets,
)
from deltaadm.spark.store import (
    chosen_log_store,
    connector_package,
    hadoop_settings,
    has_connector,
    log_store,
    setting,
)
from deltaadm.storage.store import is_remote

SUPPORTED_JAVA: Final = (17, 21, 25)
"""The releases that Spark 4.2 is tested with."""


def look(options: SparkOptions) -> Iterator[Check]:
    """The checks of a session with *options*; nothing is started and nothing fetched."""
    target = options.target
    shown = without_secrets(target)
    if target.startswith(CONNECT):
        yield _package("pyspark")
        modules = ("grpc", "grpc_status", "pandas", "pyarrow", "zstandard")
        if lacking := [module for module in modules if find_spec(module) is None]:
            detail = f"not installed: {', '.join(lacking)}"
            yield Check("packages", Health.FAILED, detail, jvm.INSTALL_CONNECT)
        where = f"Spark Connect at {shown}: it has its own Java and jars"
        yield _sound("Spark", where, lambda: require_reachable(target))
        return
    packages = [_package("pyspark"), _package("delta-spark")]
    yield from packages
    try:
        java = jvm.java_program()
    except EngineError as error:
        yield Check("Java", Health.FAILED, error.message, error.remedy)
    else:
        done = subprocess.run(  # noqa: S603 -- the Java that Spark would run
            [java, "-version"], capture_output=True, text=True, check=False, timeout=60
        )
        # Java answers `-version` on standard error.
        yield java_check(java, done.stderr + done.stdout)
    if all(check.health is Health.OK for check in packages):
        compatible = _sound("packages", "compatible", jvm.require_fitting_packages)
        if compatible.health is not Health.OK:
            yield compatible
        home = jvm.spark_home()
        own = f"{home} (SPARK_HOME)" if os.environ.get("SPARK_HOME") else "that of pyspark"
        yield _sound("Spark", own, lambda: jvm.require_fitting_spark(home))
        yield _sound("master", shown, lambda: require_reachable(target))
        yield _delta(options)


def start(options: SparkOptions, announce: Callable[[str], None]) -> Check:
    """Start a session and ask it for its version and whether Delta answers."""
    try:
        with open_session(options, announce) as session:
            release = session.version
            try:
                # A statement that only Delta's extension parses, on a table that cannot be there.
                session.sql("DESCRIBE HISTORY delta.`/deltaadm-doctor/no/such/table`")
            except Exception as error:  # noqa: BLE001 -- any refusal is Delta's answer, or its absence
                message = sentence(error_text(error))[0]
                # Delta knows the statement and misses the table; Spark alone does not know it.
                if "delta" not in message.lower() or "table" not in message.lower():
                    found = f"Spark {release} starts, but Delta does not respond: {message}"
                    remedy = "Check --spark-conf and the jars on the class path."
                    return Check("session", Health.FAILED, found, remedy)
    except DeltaadmError as error:
        return Check("session", Health.FAILED, error.message, error.remedy)
    return Check("session", Health.OK, f"Spark {release} starts, and Delta responds")


def _package(name: str) -> Check:
    try:
        return Check(name, Health.OK, version(name))
    except PackageNotFoundError:
        lacking = "not installed; commits need --commit-engine embedded"
        return Check(name, Health.FAILED, lacking, jvm.INSTALL)


def java_check(where: str, output: str) -> Check:
    """
    The check on the Java at *where* that answers *output* when asked for its version.

    >>> java_check("/bin/java", 'openjdk version "1.8.0_392"').health.value
    'failed'
    """
    match = re.search(r'version "(?:1\.)?(\d+)[^"]*"', output)
    if match is None:
        return Check("Java", Health.FAILED, f"{where} does not say its version", jvm.JAVA_REMEDY)
    release, text = int(match[1]), f"{match[0].split(chr(34))[1]} at {where}"
    if release in SUPPORTED_JAVA:
        return Check("Java", Health.OK, text)
    health = Health.FAILED if release < SUPPORTED_JAVA[0] else Health.WARNING
    return Check("Java", health, f"{text}; Spark does not support it", jvm.JAVA_REMEDY)


def _sound(subject: str, detail: str, require: Callable[[], object]) -> Check:
    """The check that passes with *detail* unless *require* raises."""
    try:
        require()
    except DeltaadmError as error:
        return Check(subject, Health.FAILED, error.message, error.remedy)
    return Check(subject, Health.OK, detail)


def _delta(options: SparkOptions) -> Check:
    """The sources of Delta's classes, in the order in which a session looks."""
    home = jvm.spark_home()
    jar = jvm.delta_jar((*jvm.jars_of(home), *options.jars))
    if jar is not None:
        return _sound("Delta jars", f"Delta {jar.delta}: {jar.path}", jar.require_fit)
    if jvm.brings_delta(jvm.default_settings(home) | dict(options.conf)):
        return Check("Delta jars", Health.OK, "configured in Spark's settings")
    try:
        package = jvm.delta_package()
    except DeltaadmError as error:
        return Check("Delta jars", Health.FAILED, error.message, error.remedy)
    suffix = f"-{package.rpartition(':')[2]}.jar"
    fetched = jvm.delta_jar(path for path in jvm.fetched_jars() if path.endswith(suffix))
    if fetched is not None:
        return Check("Delta jars", Health.OK, f"{package}, already downloaded")
    found = f"{package} will be downloaded when Spark first starts"
    return Check("Delta jars", Health.WARNING, found, _NO_REPOSITORY)


_NO_REPOSITORY: Final = "Without access to a Maven repository, provide the jars with --jars PATH."


def storage(location: str, options: SparkOptions) -> Iterator[Check]:
    """
    How Spark would commit to a table at *location*: the LogStore and the file system for it.

    Nothing is said of this machine's own files, nor where a Connect server would commit.
    """
    elsewhere = options.target.startswith(CONNECT)
    if elsewhere or not is_remote(location) or find_spec("pyspark") is None:
        return
    scheme = location.partition("://")[0].lower()
    facts, home = log_store(scheme), jvm.spark_home()
    conf = jvm.default_settings(home) | dict(options.conf)
    chosen = chosen_log_store(scheme, conf)
    if facts.alone and chosen is None:
        yield Check(
            f"LogStore for {scheme}",
            Health.WARNING,
            f"{facts.name}, which loses commits when several drivers write at once",
            "Make sure that no other Spark writes at the same time, or let all of them use a "
            "LogStore that coordinates writers: --spark-conf "
            f"{setting(scheme)}=io.delta.storage.S3DynamoDBLogStore",
        )
    else:
        yield Check(f"LogStore for {scheme}", Health.OK, chosen or facts.name)
    if connector := facts.connector:
        subject, paths = f"file system for {scheme}", [*jvm.jars_of(home), *options.jars]
        jar = next((path for path in paths if connector in Path(path).name), None)
        package = connector_package(connector, paths)
        file = f"{package}.jar".replace(":", "_", 1).replace(":", "-")  # as Ivy names it
        if jar or has_connector(connector, paths, conf):
            found = jar or f"{connector}, configured in Spark's settings"
            yield Check(subject, Health.OK, found)
        elif package is None:
            remedy = (
                f"Provide the {connector} that matches Spark's Hadoop with --jars, or its Maven "
                "coordinates with --spark-conf spark.jars.packages=..."
            )
            yield Check(subject, Health.FAILED, f"Spark lacks {connector}", remedy)
        elif any(path.endswith(file) for path in jvm.fetched_jars()):
            yield Check(subject, Health.OK, f"{package}, already downloaded")
        else:
            found = f"{package} will be downloaded when Spark first starts for such a table"
            yield Check(subject, Health.WARNING, found, _NO_REPOSITORY)
        settings = hadoop_settings(options.stores, os.environ, conf)
        # Of keys the names alone are shown: some of the values are secret.
        keys = sorted(key for key in settings if not key.endswith(".impl"))
        named = f"from the environment and options: {', '.join(keys)}"
        nothing = "none in the environment; Hadoop looks for credentials by itself"
        yield Check(f"Hadoop's settings for {scheme}", Health.OK, named if keys else nothing)


def environment_settings() -> Check | None:
    """Variables that lead Spark elsewhere than the command line says; None if there are none."""
    names = ("SPARK_HOME", "SPARK_REMOTE", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS", "JAVA_HOME")
    ways = {"SPARK_REMOTE": without_secrets}
    settings = [
        f"{name}={ways.get(name, masked)(text)}" for name in names if (text := os.environ.get(name))
    ]
    return Check("environment", Health.OK, ", ".join(settings)) if settings else None
