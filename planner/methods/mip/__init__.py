"""Solver plumbing for planners and bound methods: CP-SAT in this process, MIP solvers in processes of their own.

HiGHS and OR-Tools cannot be loaded into one process. So this process only ever loads OR-Tools (for CP-SAT, by
:mod:`planner.methods.mip.cp_sat`); HiGHS and SCIP run in a child (:mod:`planner.methods.mip.mip_child`). Any planner
can therefore run after any other in one process, and a solver that does not listen can be killed.
"""
