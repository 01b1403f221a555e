"""Why a problem has no valid plan, and what would give it one."""

from planner.feasibility.explain import explain
from planner.feasibility.explanation import Explanation, Remedy

__all__ = ["Explanation", "Remedy", "explain"]
