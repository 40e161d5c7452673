"""What a user asks about a job, answered by pure functions over API objects: its state, its ranks, its first failure.

Nothing here reads a clock, a file or a server; whoever asks brings the objects. So the same answer is given for the
embedded engine, for a real cluster and for a recorded set of objects.
"""
