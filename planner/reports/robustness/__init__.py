"""How sure a plan is when op times are not: what it costs then, which errors would change it, and which plan regrets least."""
