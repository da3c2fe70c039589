"""Tests in the lab: which could run, on which machine each suite does, and what became of them."""
