"""Values as files of any file system of fsspec."""
