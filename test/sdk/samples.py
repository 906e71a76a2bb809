"""Runs samples for a test: reads the path of a program a line, and prints what it printed and how it ended."""

import contextlib
import io
import json
import runpy
import sys

for line in sys.stdin:
    printed = io.StringIO()
    code = None
    with contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(line.strip())
        except Exception as error:
            code = getattr(error, "code", None) or repr(error)
    print(json.dumps({"printed": printed.getvalue(), "code": code}), flush=True)
