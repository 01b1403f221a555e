"""Commands about the learned policy."""
