"""The planners and bound methods that serve several machines and belong to none of them."""

planners = ("auto", "local-search", "slice-random", "expert")
bounds = ("simple", "auto", "nested-cuts")
