"""Profiles: files that say how long the ops of a model took, written by Stageboard and by other programs."""
