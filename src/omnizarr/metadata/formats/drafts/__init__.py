"""The drafts of Zarr v3: of 2019, which is read and written, and those after it, which are read."""
