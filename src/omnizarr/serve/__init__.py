"""Stores over HTTP, and a page to look at them; needs the extra `serve`."""
