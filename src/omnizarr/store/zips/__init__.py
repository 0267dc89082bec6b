"""Values as entries of one zip archive."""
