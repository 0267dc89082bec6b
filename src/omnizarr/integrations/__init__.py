"""Omnizarr at home elsewhere: backends and adapters for other libraries, each an optional extra."""
