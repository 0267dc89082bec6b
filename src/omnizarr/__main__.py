"""`python -m omnizarr`."""

from omnizarr.cli import main

if __name__ == "__main__":
    main()
