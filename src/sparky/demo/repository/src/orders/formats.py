"""Output formats, each registered by its module when that is imported."""

FORMATS = {}
