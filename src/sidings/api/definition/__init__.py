"""What a CustomResourceDefinition may say, and which kinds it makes. Pure.

``validation`` checks its names, versions and columns, ``structure`` its schemas, ``versions`` turns it into kinds: one
for each served version, all over the same stored objects. Messages are those of ``k8s.io/apiextensions-apiserver``
``pkg/apis/apiextensions/validation`` and ``pkg/apiserver/schema`` (v0.36).
"""
