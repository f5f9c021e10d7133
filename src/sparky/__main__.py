"""`python -m sparky`."""

from sparky.cli.main import main

main()
