"""From the files of a log to a snapshot."""
