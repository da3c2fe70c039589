"""The lab's command line.

`options` and `commands` are the table from which everything follows: `parsing` takes words by it, `help` and
`completion` show it, and so do the manual page and docs. `actions` does what the commands are for.
"""
