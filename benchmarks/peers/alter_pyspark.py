"""The same change by a plain PySpark script: `alter_pyspark.py TABLE KEY=VALUE`."""

import os
import sys
from glob import glob

import pyspark
from pyspark.sql import SparkSession

table = sys.argv[1]
key, _, value = sys.argv[2].partition("=")
builder = (
    SparkSession.builder.master("local[*]")
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.ui.enabled", "false")
)
if not glob(f"{os.path.dirname(pyspark.__file__)}/jars/delta-spark*.jar"):
    from delta import configure_spark_with_delta_pip

    builder = configure_spark_with_delta_pip(builder)
spark = builder.getOrCreate()
spark.sql(f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES ('{key}' = '{value}')")
history = spark.sql(f"DESCRIBE HISTORY delta.`{table}` LIMIT 1").first()
print(f"version {history['version']} was committed")
