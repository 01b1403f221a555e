"""Sweeps: many problems, planners and seeds, each run in a process of its own, results in one CSV file."""
