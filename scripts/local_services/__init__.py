"""What scripts/services is made of."""
