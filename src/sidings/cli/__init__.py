"""Room cli; its owner writes this."""
