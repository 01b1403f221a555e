"""Made-up graphs, one kind per module; the same kind, settings and seed give the same graph."""
