"""Looking for what is wrong in a hierarchy, and removing what belongs to nothing."""
