"""Panels of more than one editor, or of one machine: each shows one part of the document and edits it only through the document."""
