"""What planners of connection orders share: blocks and moves, incremental counts, locality, sizes of memory."""
