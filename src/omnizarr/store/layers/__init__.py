"""Stores around stores: reading only, counting, failing, caching, one over another."""
