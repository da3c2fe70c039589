"""The variables that stand for a seed."""

from __future__ import annotations

from collections.abc import MutableMapping

from bluetooth_lab.explore.variation import DEFAULT_VARIATION, Variation


def set_seed(environment: MutableMapping[str, str], seed: str, vary: str | None = None) -> None:
    environment["LAB_SEED"] = seed
    variation = Variation.parse(vary or DEFAULT_VARIATION)
    add_radio_option(environment, f"--seed {variation.seed_of('radio', int(seed))}")


def add_radio_option(environment: MutableMapping[str, str], option: str) -> None:
    """The last one of a name counts."""
    environment["LAB_RADIO_OPTIONS"] = f"{environment.get('LAB_RADIO_OPTIONS', '')} {option}".strip()
