"""Catalogs that are asked without Spark, by HTTP."""
