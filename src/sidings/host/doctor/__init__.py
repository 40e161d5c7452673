"""Whether this machine can run Sidings, how well, and what would make it better: ``sidings doctor``.

Each module looks at one thing and turns what it saw into a ``Finding``; ``examination`` puts them together.
"""
