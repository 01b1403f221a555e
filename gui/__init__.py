"""The window of Stageboard: everything that needs Qt."""
