"""The three patch formats that change an object without managed fields: JSON patch, merge patch, strategic merge.

Each module has one function ``apply(document, patch, ...)`` that returns a new document and leaves its inputs alone.
Server-side apply, the fourth, is in ``api.apply``.
"""
