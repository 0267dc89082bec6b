"""Side-by-side measurements of omnizarr and its peers; run with ``python -m benchmarks``."""
