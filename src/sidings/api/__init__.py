"""What an object is: kinds, schemas, defaults, validation, patches, selectors, quantities. No I/O and no clock.

Objects are plain dicts as they come from JSON. Whoever reads one from a registry, client or watch must not change
it: the same dict is shared by all readers. ``objects.copy_of`` gives a private copy.
"""
