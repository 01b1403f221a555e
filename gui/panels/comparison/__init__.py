"""What compares plans: names, marks, canvases, flows and schedules as they are painted in editors, pictures and stories."""
