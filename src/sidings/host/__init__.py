"""Room host; its owner writes this."""
