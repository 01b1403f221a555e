"""The scripts of the five stories that Stageboard brings along, one per system of a paper."""
