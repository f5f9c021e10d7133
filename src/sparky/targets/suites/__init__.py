"""How each sort of test command is recognised, started and judged, and the formats that results come in."""
