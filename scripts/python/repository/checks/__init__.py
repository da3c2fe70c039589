"""What the checks of scripts/ci need: which files are in which language, and how wide their lines are."""
