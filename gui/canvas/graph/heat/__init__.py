"""Heat maps: the cards of a graph in colours of what its ops cost instead of where they are."""
