"""The modules of the commands in scripts/."""
