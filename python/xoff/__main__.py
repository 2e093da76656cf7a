"""`python -m xoff` is the command `xoff`."""

from xoff.cli import main

main()
