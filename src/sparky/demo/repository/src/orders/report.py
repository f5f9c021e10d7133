import json
from orders import csv_format
from orders.formats import FORMATS

def render(fields, format = "csv"):
    """The fields in a format."""
    return FORMATS[format](fields)
