"""The lab's command line.

`options` and `commands` are the one table of it: `parsing` reads words by it, `help`, `completion` and the manual page
show it. `actions` carries out the commands.
"""
