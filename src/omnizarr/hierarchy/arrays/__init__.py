"""The parts of `Array`: how it is laid out, indexed, resized and shown."""
