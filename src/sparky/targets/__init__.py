"""What a target repository declares, and how its tests are judged: pure readings of its files."""
