"""An application of one command that does nothing: what typer itself costs."""

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def command(table: str = "") -> None:
    """Do nothing."""


app()
