"""The subcommands: each module says what one takes, and carries it out."""
