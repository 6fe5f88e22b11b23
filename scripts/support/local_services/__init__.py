"""The parts of scripts/services."""
