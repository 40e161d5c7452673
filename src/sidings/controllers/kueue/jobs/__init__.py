"""A job of any kind and its Workload: what asks for quota, and what starts and stops when quota comes and goes.

``integration`` says what a kind has to tell; ``plan`` is the handshake, the same for all of them.
"""
