"""The command line: thin, one command per file under ``commands/``.

Objects belong to kubectl; these commands give answers about jobs and start and stop the engine. They talk to an API
server through ``client`` and to the life of the engine through ``host``. Conventions: data on stdout; progress, hints
and warnings on stderr; exit codes in ``errors.ExitCode``. Whatever is slow to import is imported by the command that
uses it, so that ``sidings --help`` answers in 0.15 s.
"""
