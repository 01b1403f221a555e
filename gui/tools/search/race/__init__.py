"""Several planners on one problem, in the window: who leads, who proved what, and the best plan on the canvas."""
