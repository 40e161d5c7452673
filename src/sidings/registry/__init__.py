"""The one door to objects: what makes a store an API.

``registry.Registry`` has the verbs. Each of them is a module: ``create``, ``update``, ``patch``, ``delete``,
``listing``, ``watching``, ``subresources``. ``admission/`` holds the rules that must look at other objects than the one
being written.
"""
