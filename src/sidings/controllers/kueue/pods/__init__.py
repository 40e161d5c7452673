"""Pods that queue by themselves, alone or as a group: gates instead of ``suspend``, deletion instead of stopping."""
