"""One command per file: ``configure(parser)`` declares its arguments, ``run(args, invocation)`` returns the exit code.

A command's module imports nothing slow at its top: ``main`` imports only the module of the command that was typed, and
``--help`` none at all.
"""
