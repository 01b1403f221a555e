"""Presenting: stories played full screen, painted at any moment, and written to files."""
