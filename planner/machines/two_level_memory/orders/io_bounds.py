"""The six numbers of Theorem 1: between which reads, writes and their sum lie in a best inference of a network."""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.network import Network


@dataclass(frozen=True)
class IoBounds:
    """Bounds on the reads, the writes and the total of a best order (the paper on sparse inference, Theorem 1, equations 1 to 3).

    The lower bounds hold for every order, memory and policy: each connection, bias and input is read, and each output
    written. The upper ones hold for the best order at any memory of three values or more under MIN; the Theorem-1 order reaches them.
    """

    connections: int
    neurons: int
    inputs: int
    outputs: int

    @property
    def least_reads(self) -> int:
        """The least reads: W + N."""
        return self.connections + self.neurons

    @property
    def least_writes(self) -> int:
        """The least writes: S."""
        return self.outputs

    @property
    def least(self) -> int:
        """The least reads and writes together: W + N + S."""
        return self.least_reads + self.least_writes

    @property
    def most_reads(self) -> int:
        """The most reads of a best order: 2 W + N - I."""
        return 2 * self.connections + self.neurons - self.inputs

    @property
    def most_writes(self) -> int:
        """The most writes of a best order: N - I."""
        return self.neurons - self.inputs

    @property
    def most(self) -> int:
        """The most reads and writes of a best order together: 2 (W + N - I)."""
        return self.most_reads + self.most_writes


def io_bounds(network: Network) -> IoBounds:
    """The bounds of a network. Neurons without connections are no part of it, so W + N + S counts none of them."""
    return IoBounds(network.connection_count, network.neuron_count, len(network.inputs), len(network.outputs))
