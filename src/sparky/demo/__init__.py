"""The repository of `sparky demo`, as data: real faults of several kinds, tests, an issue, and a script."""
