"""The engine under every controller: work queue, watches, plans and events. Knows no kind."""
