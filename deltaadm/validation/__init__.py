"""Rules about what a table's log may look like, and how they are run."""
