"""Reports as text, Markdown, HTML, JSON and what other programs read."""
