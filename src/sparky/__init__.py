"""sparky: hand it an issue; get back a verified change, or the exact reason why not."""

__version__ = "0.1.0"
