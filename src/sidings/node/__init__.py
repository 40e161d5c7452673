"""Room node; its owner writes this."""
