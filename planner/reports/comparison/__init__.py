"""Two to four plans of one model beside each other: devices matched, what differs, and how far each is from proven."""

from __future__ import annotations

from planner.reports.comparison.comparison import Comparison, Differences, Flows, Row, compare
from planner.reports.comparison.figures import Figures
from planner.reports.comparison.matching import Matching, match_devices
from planner.reports.comparison.orders import Displacement, OrderComparison, compare_orders

__all__ = [
    "Comparison",
    "Differences",
    "Displacement",
    "Figures",
    "Flows",
    "Matching",
    "OrderComparison",
    "Row",
    "compare",
    "compare_orders",
    "match_devices",
]
