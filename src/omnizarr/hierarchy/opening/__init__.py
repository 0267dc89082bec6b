"""The parts of opening: where a node is, what is there, and why nothing is."""
