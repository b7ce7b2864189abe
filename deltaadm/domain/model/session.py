"""The few Spark settings that change what Delta commits."""

from __future__ import annotations

from deltaadm.dataclass import dataclass, field
from deltaadm.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, Self

DEFAULTS_PREFIX: Final = "spark.databricks.delta.properties.defaults."


@dataclass(frozen=True, kw_only=True)
class SessionSettings:
    """
    The settings that a plan depends on; the defaults are those of Delta Spark 4.4.

    `property_defaults` are the `spark.databricks.delta.properties.defaults.*` settings by the
    rest of their key; Delta applies them to new tables only.
    """

    property_defaults: Mapping[str, str] = field(default_factory=dict)
    allow_arbitrary_properties: bool = False
    allow_column_mapping_removal: bool = True
    strip_column_mapping_metadata: bool = True
    bypass_location_schema_check: bool = False

    @classmethod
    def from_conf(cls, conf: Mapping[str, str]) -> Self:
        """
        The settings in a Spark configuration, whole or in part.

        Raises `Refused` for a boolean setting that is neither true nor false.
        """
        defaults = {
            key.removeprefix(DEFAULTS_PREFIX): value
            for key, value in conf.items()
            if key.startswith(DEFAULTS_PREFIX)
        }
        flags = {
            attribute: _boolean(key, conf[key]) for key, attribute in FLAGS.items() if key in conf
        }
        return cls(property_defaults=defaults, **flags)

    def to_conf(self) -> dict[str, str]:
        """The same settings as Spark configuration; every one is said, defaults included."""
        flags = {key: str(getattr(self, attribute)).lower() for key, attribute in FLAGS.items()}
        return {
            DEFAULTS_PREFIX + key: value for key, value in self.property_defaults.items()
        } | flags


FLAGS: Final[Mapping[str, str]] = {
    "spark.databricks.delta.allowArbitraryProperties.enabled": "allow_arbitrary_properties",
    "spark.databricks.delta.columnMapping.allowRemoval": "allow_column_mapping_removal",
    "spark.databricks.delta.columnMapping.stripMetadata": "strip_column_mapping_metadata",
    "spark.databricks.delta.alterLocation.bypassSchemaCheck": "bypass_location_schema_check",
}


def _boolean(key: str, text: str) -> bool:
    word = text.strip().lower()
    if word not in ("true", "false"):
        raise Refused(
            f"The Spark setting {key} is {text!r}, which is neither true nor false.",
            remedy=f"Pass --spark-conf {key}=true or {key}=false.",
        )
    return word == "true"
