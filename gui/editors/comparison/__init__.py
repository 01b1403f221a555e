"""Comparing plans: a window with linked canvases, and what differs between them."""
