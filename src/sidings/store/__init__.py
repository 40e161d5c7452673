"""A durable map with revisions and watches; it knows no kinds.

``store.Store`` is the whole interface. Behind it: ``entries`` (what is stored), ``index`` (the live ones in memory),
``log`` (SQLite, or nothing), ``writer`` (the thread that groups commits), ``history`` (recent changes, for watches and
for lists at an older revision), ``place`` (is this directory fit to keep state in?).
"""
