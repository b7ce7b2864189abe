"""One module per subcommand: a snapshot in, a value out."""
