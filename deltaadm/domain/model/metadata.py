"""The `metaData` action and what is derived from it once."""

from __future__ import annotations

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.model import wire
from deltaadm.domain.model.schema import EMPTY_SCHEMA, parse_schema, primitive_types
from deltaadm.domain.model.wire import Entry, Loggable, Wire
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar, Final

    from deltaadm.domain.model.schema import PrimitiveType, StructType


KNOWN_AFTER_COMMIT: Final = "<known after commit>"
"""Stands, in a predicted value, for the part that only the commit can choose."""


@dataclass(frozen=True, slots=True)
class Format(Wire):
    """The file format of the data files; Delta knows `parquet` only."""

    provider: str | None = "parquet"
    options: Mapping[str, str] | None = field(default_factory=dict)

    ENTRIES: ClassVar = (
        Entry("provider", "provider", wire.TEXT),
        Entry("options", "options", wire.TEXT_MAP),
    )


@dataclass(frozen=True, slots=True)
class Metadata(Loggable):
    """
    A table's identity, schema, partitioning and properties (PROTOCOL.md, Change Metadata).

    `created_time` is in milliseconds since the epoch. `schema_string` is None for a table
    without a schema.
    """

    id: str | None = None
    name: str | None = None
    description: str | None = None
    format: Format | None = None
    schema_string: str | None = None
    partition_columns: tuple[str, ...] = ()
    configuration: Mapping[str, str] = field(default_factory=dict)
    created_time: int | None = None

    NAME: ClassVar[str] = "metaData"
    ENTRIES: ClassVar = (
        Entry("id", "id", wire.TEXT),
        Entry("name", "name", wire.TEXT),
        Entry("description", "description", wire.TEXT),
        Entry("format", "format", wire.nested(Format)),
        Entry("schemaString", "schema_string", wire.TEXT),
        Entry("partitionColumns", "partition_columns", wire.TEXT_LIST),
        Entry("configuration", "configuration", wire.SETTINGS),
        Entry("createdTime", "created_time", wire.LONG),
    )

    @property
    def schema(self) -> StructType:
        """The parsed schema; raises `TableError` when `schema_string` cannot be read."""
        return parse_schema(self.schema_string or EMPTY_SCHEMA)

    @property
    def primitive_types(self) -> tuple[PrimitiveType, ...]:
        """The types that occur in the schema, containers left out; raises as `schema` does."""
        return primitive_types(self.schema_string or EMPTY_SCHEMA)

    def says_the_same_as(self, other: Metadata) -> bool:
        """Equality that does not look at how the schema's JSON text is spelt."""
        if replace(self, schema_string=None) != replace(other, schema_string=None):
            return False
        return bool(_decoded(self.schema_string) == _decoded(other.schema_string))

    def with_schema(self, schema: StructType) -> Metadata:
        """The same metadata with another schema; untouched, text included, when it is equal."""
        return self if schema == self.schema else replace(self, schema_string=schema.to_json())

    def with_configuration(self, configuration: Mapping[str, str]) -> Metadata:
        """The same metadata with other properties."""
        return replace(self, configuration=dict(configuration))


@dataclass(frozen=True)
class Traits:
    """The metadata of a table without what identifies it, as a key for tables that are alike."""

    schema_string: str | None
    partition_columns: tuple[str, ...]
    configuration: tuple[tuple[str, str], ...]
    provider: str | None
    options: tuple[tuple[str, str], ...] | None
    has_format: bool

    @classmethod
    def of(cls, metadata: Metadata) -> Traits:
        """Return the traits of *metadata*."""
        form = metadata.format
        options = None if form is None else form.options
        return cls(
            metadata.schema_string,
            metadata.partition_columns,
            tuple(metadata.configuration.items()),
            None if form is None else form.provider,
            None if options is None else tuple(options.items()),
            form is not None,
        )

    @property
    def metadata(self) -> Metadata:
        """Metadata that has them and nothing else."""
        options = None if self.options is None else dict(self.options)
        return Metadata(
            format=Format(self.provider, options) if self.has_format else None,
            schema_string=self.schema_string,
            partition_columns=self.partition_columns,
            configuration=dict(self.configuration),
        )


def _decoded(text: str | None) -> Any:
    """The JSON in *text*; the text itself where it is none."""
    try:
        return None if text is None else load_json(text)
    except (ValueError, RecursionError):
        return text
