"""Small windows of their own. Errors never open one: they are notices on the canvas."""
