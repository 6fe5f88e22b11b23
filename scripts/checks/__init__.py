"""The rules that scripts/check holds. A rule takes the root of a tree and returns what breaks it."""
