"""Options of the JVM for short work, with which it starts faster."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from deltaadm.spark.jars import default_settings, spark_home

if TYPE_CHECKING:
    from collections.abc import Mapping

SHORT_WORK: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""
Compile quickly rather than well, and collect garbage without threads of its own.

A session that commits metadata ends before the optimizing compiler pays for itself.
"""


def java_options(
    conf: Mapping[str, str], environ: Mapping[str, str] = os.environ
) -> tuple[str, ...]:
    """The options for a JVM that does short work under *conf*; none where the user has chosen."""
    settings = {**default_settings(spark_home(), environ), **conf}
    java_settings = [settings.get(key, "") for key in _OPTION_SETTINGS]
    java_settings += [environ.get(name, "") for name in _OPTION_VARIABLES]
    # Java does not start with two collectors, and the user may have chosen one.
    return () if any("-XX:" in text for text in java_settings) else SHORT_WORK


_OPTION_SETTINGS: Final = "spark.driver.extraJavaOptions", "spark.driver.defaultJavaOptions"
_OPTION_VARIABLES: Final = "SPARK_SUBMIT_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"
