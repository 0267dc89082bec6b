"""Values as files in a directory of the file system."""
