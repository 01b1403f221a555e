"""What planners of connection orders share: orders by construction, moves of connections and of blocks, bounds and the least memory."""
