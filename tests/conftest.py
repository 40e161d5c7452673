"""What all tests share: an asyncio that makes no event loop behind anybody's back.

On Python 3.11 ``get_event_loop`` makes a loop where none is set, and pytest-asyncio 1.x calls it between tests without
ever closing the result: with warnings as errors, some later test fails for it. Saying once that there is none ends it.
"""

import asyncio

asyncio.set_event_loop(None)
