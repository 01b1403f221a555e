"""Stageboard's planning library: graphs, targets, problems, plans, bounds and the algorithms that find them."""

__version__ = "0.1.0"
