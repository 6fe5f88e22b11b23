"""The rules that scripts/check verifies. A rule takes the root of a tree and returns a line for each problem."""
