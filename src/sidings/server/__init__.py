"""Room server; its owner writes this."""
