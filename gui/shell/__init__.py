"""What windows share: which of them opens a file, actions, palette, docks, session, small dialogs.

Errors never open a dialog: they are notices above the canvas.
"""
