"""The parts of creating: arguments to metadata, metadata to the store, data to the array."""
