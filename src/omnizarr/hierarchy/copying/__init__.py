"""The parts of copying: what to copy, in which blocks, and how to go on after an interruption."""
