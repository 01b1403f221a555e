"""Machines: a folder each, with its target, what evaluates plans on it, and what plans for it. The catalogue knows them all."""
