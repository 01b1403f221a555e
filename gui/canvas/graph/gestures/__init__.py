"""What a press on the canvas can become. One class per gesture, with begin, update, finish and cancel."""

from gui.canvas.graph.gestures.base import Gesture
from gui.canvas.graph.gestures.move_ops import MoveOps
from gui.canvas.graph.gestures.pan import Pan
from gui.canvas.graph.gestures.rubber_band import RubberBand

__all__ = ["Gesture", "MoveOps", "Pan", "RubberBand"]
