"""Looks for the run that fails, by running a command with one seed after another; and makes what was found smaller.

A run with simulated time and a seed is the same each time (machine/repeat.py). What a seed varies is what varies by
itself on a busy machine and in the air; variation.py has the kinds.
"""
