"""What people do with uploads, topics and vulnerabilities, done with an unchanged python-gitlab (3.12 or newer).

ALCOVE_URL and ALCOVE_TOKEN (of an administrator) say where.
"""

import importlib
import sys
import traceback
from pathlib import Path

import gitlab

sys.dont_write_bytecode = True
world = importlib.import_module("world")
for part in ("accounts", "projects", "uploads", "topics", "vulnerabilities"):
    importlib.import_module(part)

failed = 0
for tell in world.chapters:
    name = tell.__name__.replace("_", " ")
    try:
        tell()
        print(f"PASS {name}")
    except Exception as error:  # every chapter is told, whatever became of the one before
        failed += 1
        frame = traceback.extract_tb(error.__traceback__)[1]
        print(f"FAIL {name}\n     {type(error).__name__}: {error}\n     {Path(frame.filename).name}:{frame.lineno}: {frame.line}")
print(f"python-gitlab {gitlab.__version__}: {len(world.chapters) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
