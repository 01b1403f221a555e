"""Keyframes that compare plans: canvases beside one another, two plans on one, flows of ops, schedules on one axis."""
