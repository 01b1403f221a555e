"""The panels around the canvas: each shows one part of the document and edits it only through the document."""
