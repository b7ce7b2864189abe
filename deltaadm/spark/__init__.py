"""Everything that needs a JVM; nothing else imports pyspark."""
