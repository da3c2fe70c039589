"""The repository's own tools: its benchmarks, checks, tables of names, and the site."""
