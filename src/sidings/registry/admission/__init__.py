"""Rules on writes that must look at other objects: one plug-in per module, ``plugin`` says what a plug-in is."""
