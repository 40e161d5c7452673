"""What TensorBoard's own reader sees in a folder, as JSON: [tag, [[step, value], ...]]; run by its Python."""

import json
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

seen = EventAccumulator(sys.argv[1])
seen.Reload()
print(json.dumps({tag: [[each.step, each.value] for each in seen.Scalars(tag)] for tag in seen.Tags()["scalars"]}))
