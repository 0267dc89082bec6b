"""Arrays and groups as notebooks show them."""
