"""What tests stand on, sparky's and those of agents that others write."""

from sparky.testing.check import check_agent

__all__ = ["check_agent"]
