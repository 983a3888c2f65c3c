"""Tests the server with an unchanged python-gitlab (3.12 or newer).

ALCOVE_URL is the address of the server and ALCOVE_TOKEN the token of an administrator. Arguments name the modules whose
scenarios run, such as graphql_class, which needs python-gitlab 5.0 or newer with gql; without any, all others run.
"""

import importlib
import sys
import traceback
from pathlib import Path

import gitlab

sys.dont_write_bytecode = True
support = importlib.import_module("support")
usual = ("accounts", "projects", "uploads", "topics", "vulnerabilities", "graphql_requests", "removal")
for part in sys.argv[1:] or usual:
    importlib.import_module(part)

failed = 0
for scenario in support.scenarios:
    name = scenario.__name__.replace("_", " ")
    try:
        scenario()
        print(f"PASS {name}")
    except Exception as error:  # later scenarios run after a failure
        failed += 1
        frame = traceback.extract_tb(error.__traceback__)[1]
        print(f"FAIL {name}\n     {type(error).__name__}: {error}\n     {Path(frame.filename).name}:{frame.lineno}: {frame.line}")
print(f"python-gitlab {gitlab.__version__}: {len(support.scenarios) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
