"""How a broken rule is seen: signs on ops, and the paths that it is about."""
