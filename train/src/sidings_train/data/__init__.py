"""Rows and tokens in an order that follows from numbers: nothing to save but where an epoch stands."""
