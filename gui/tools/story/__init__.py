"""Making a story in the window: what is captured or recorded, edited as a list of keyframes."""
