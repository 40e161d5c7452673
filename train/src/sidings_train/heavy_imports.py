"""What is slow to import, all at once, with the garbage collector waiting.

A process that starts again after an interruption spends most of its time importing torch, and a fifth to a quarter of
that looking for garbage among a million objects that all stay. So this is imported before the other modules here; a
script that imports sidings_train before torch has the gain for torch itself, too. Every optimizer imports
``torch._dynamo``, and every checkpoint what it needs beside that: nothing comes here that would not come later.

These objects stay out of all later collections too. The last ones, when the process exits, would take 0.7 s of CPU,
for which a job that is restarted waits: its old pods have to be gone first.
"""

from __future__ import annotations

import gc

_was_enabled = gc.isenabled()
gc.disable()
try:
    import torch._dynamo
    import torch.distributed.checkpoint  # noqa: F401

    gc.freeze()
finally:
    if _was_enabled:
        gc.enable()
