"""What containers may use: by control groups where this machine lets us, looked at every so often where not.

``enforcement`` finds out which, ``requirements`` says what a container gets, ``storage`` measures disk.
"""
