"""What is said where a window with unsaved work is closed."""

CLOSING = "The plan is not saved. Save it (Ctrl+S), or close again to leave it."
