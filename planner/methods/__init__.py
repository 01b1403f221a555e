"""What planners share: contraction to units, topological orders, slicing an order, and descent by single moves."""
