"""What a press on the canvas can become. One class per gesture, with begin, update, finish and cancel."""

from gui.canvas.gestures.base import Gesture
from gui.canvas.gestures.move_ops import MoveOps
from gui.canvas.gestures.pan import Pan
from gui.canvas.gestures.rubber_band import RubberBand

__all__ = ["Gesture", "MoveOps", "Pan", "RubberBand"]
