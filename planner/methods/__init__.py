"""What planners of several machines share: contraction to units, orders and their slicing, ideals, descents, maximum flow."""
