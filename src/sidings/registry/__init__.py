"""Room registry; its owner writes this."""
