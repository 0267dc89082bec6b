"""Runs plans against a store and a codec chain."""
