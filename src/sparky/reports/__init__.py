"""What other agents wrote: read tolerantly, and weighed. Pure: text and values in, values out."""
