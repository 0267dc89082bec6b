"""Integer arithmetic: selections, chunk grids, and plans that bring the two together."""
