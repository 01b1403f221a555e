"""The window of a sparse network: one order of its connections, and what it costs in a small fast memory."""
