"""The pure rules of ``batch/v1`` Jobs, one policy per module; ``kinds/job.py`` puts them together.

The controller in ``controllers/job`` and the admission of other kinds read the same words from here.
"""
