"""Compiled kernels: how they are declared, kept on disk, and run before they are compiled."""
