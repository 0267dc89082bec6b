"""What `omnizarr doctor` looks at, one subject a module."""
