"""What the tests of contributors' tools share with those of the lab."""

from scratch_lab import scratch as scratch  # a fixture
