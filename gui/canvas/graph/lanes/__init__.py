"""What lanes alone have: the form of their headers, and what enters each of them."""
