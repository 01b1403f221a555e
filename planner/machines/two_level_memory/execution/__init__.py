"""Inference with a sparse network in the order of a plan, and the libraries it is measured against.

:func:`planner.machines.two_level_memory.execution.program.compile_order` turns a network and an order of its connections into a program;
:class:`planner.machines.two_level_memory.execution.program.Runner` runs it over batches. :mod:`planner.machines.two_level_memory.execution.reference` says what must come out.
"""
