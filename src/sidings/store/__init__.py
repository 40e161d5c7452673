"""Room store; its owner writes this."""
