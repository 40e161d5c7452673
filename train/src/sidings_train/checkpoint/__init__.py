"""Checkpoints: written aside while training goes on, found by verification, gone on from exactly.

``layout`` and ``manifest`` say what lies where, ``retention`` what may go; ``dcp_storage`` carries torch's distributed
checkpoint to a place; ``staging`` copies what the next step would overwrite; ``writing`` and ``finding`` are the two
directions; ``checkpoints`` is the face.
"""
