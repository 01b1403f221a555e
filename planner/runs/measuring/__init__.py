"""How long the ops of a model take on this computer, measured."""
