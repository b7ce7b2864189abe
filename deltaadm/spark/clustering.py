"""Clustering a table again whose clustering columns are lost, on which Delta's CLUSTER BY fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltaadm.domain.model.schema import path_text
from deltaadm.errors import CommitError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaadm.domain.steps import ClusterBy


def is_lost_clustering(error: Exception) -> bool:
    """
    Whether CLUSTER BY failed because a column that the table is clustered by is not there.

    Delta looks for the old columns, only to note them in the history (`ClusteringColumnInfo`).
    """
    text = str(error)
    return "NoSuchElementException" in text and "ClusteringColumnInfo" in text


def recluster(session: SparkSession, path: str, step: ClusterBy) -> None:
    """
    Commit what CLUSTER BY would, by a transaction of Delta's own, on the table at *path*.

    Raises `CommitError` over Spark Connect, which has no way to one.
    """
    jvm: Any = getattr(session, "_jvm", None)
    if jvm is None:
        raise CommitError(
            "The table is clustered by columns that it does not have, and Spark Connect cannot "
            "fix that; nothing was committed.",
            remedy="Run the command without --remote.",
        )
    delta = jvm.org.apache.spark.sql.delta
    nothing = jvm.scala.Option.empty()
    # Classes of Delta's own: there is no public API for a commit of domain metadata.
    log = delta.DeltaLog.forTable(session._jsparkSession, path)
    transaction = log.startTransaction(nothing, nothing)
    clustering = delta.skipping.clustering
    schema = transaction.metadata().schema()
    names = list(map(path_text, step.columns))
    columns = _sequence(jvm, [clustering.ClusteringColumn.apply(schema, name) for name in names])
    domain = clustering.ClusteredTableUtils.createDomainMetadata(columns)
    # `$` is in no name that Python can spell.
    operation = getattr(delta, "DeltaOperations$ClusterBy")("", ",".join(names))
    transaction.commit(_sequence(jvm, [domain]), operation)


def _sequence(jvm: Any, items: list[Any]) -> Any:
    """*items* as a sequence of Scala's."""
    listed = jvm.java.util.ArrayList()
    for item in items:
        listed.add(item)
    # Py4J turns a Python list into a java.util.List, and Scala's methods take Seq.
    return jvm.org.apache.spark.api.python.PythonUtils.toSeq(listed)
