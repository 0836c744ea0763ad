"""Calls the assemble script of an installation of MetaHuman for Maya, and says in JSON what became of it.

Nothing is raised: what goes wrong is in the answer. The script runs at most once.
"""

import importlib.util
import inspect
import json
import os
import sys
import traceback

NAME = "mhrig_additional_assemble_script"


def run(script, search, top_group, rig_group, raw_controls):
    """`search`: folders that the script may import from. `raw_controls`: attributes that something has to drive."""
    answer = {"ran": False, "connected": False}
    added = [folder for folder in search if folder not in sys.path]
    writes_bytecode = not sys.dont_write_bytecode
    sys.path.extend(added)
    # The installation stays as it is.
    sys.dont_write_bytecode = True
    try:
        _run(answer, script, top_group, rig_group, raw_controls)
    except BaseException as error:  # SystemExit too: it would end the host
        answer["error"] = _described(error, script)
    finally:
        sys.dont_write_bytecode = not writes_bytecode
        sys.path[:] = [folder for folder in sys.path if folder not in added]
        sys.modules.pop(NAME, None)
    return json.dumps(answer)


def _run(answer, script, top_group, rig_group, raw_controls):
    spec = importlib.util.spec_from_file_location(NAME, script)
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    entry = getattr(module, "run_after_assemble", None)
    if not callable(entry):
        answer["signature"] = "no function run_after_assemble"
        return
    answer["signature"] = _signature_text(entry)
    if not _takes_three(entry):
        return
    entry(top_group, rig_group, {})
    answer["ran"] = True
    connect = getattr(module, "connect_expressions", None)
    # A script that connected some of them has connected: a second time would set keys upon keys.
    if callable(connect) and _accepts(connect) and _all_unconnected(raw_controls):
        connect()
        answer["connected"] = True


def _accepts(function, *arguments):
    try:
        inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError):
        return False
    return True


def _takes_three(function):
    """The script of the editor takes two, and a rotation by its name."""
    if not _accepts(function, "", "", {}):
        return False
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = [own.name for own in inspect.signature(function).parameters.values() if own.kind in by_position]
    return "rotation" not in taken[:3]


def _all_unconnected(raw_controls):
    from maya import cmds

    there = [plug for plug in raw_controls if cmds.objExists(plug)]
    return bool(there) and not any(cmds.listConnections(plug, source=True, destination=False) for plug in there)


def _signature_text(function):
    try:
        return _plain(inspect.signature(function))
    except (TypeError, ValueError):
        return "unknown arguments"


def _plain(value):
    """Text that every reader of JSON takes."""
    try:
        text = str(value)
    except BaseException:
        text = "(cannot be shown)"
    return text.encode("utf-8", "replace").decode("utf-8")[:2000]


def _same_file(one, other):
    return os.path.normcase(os.path.abspath(one)) == os.path.normcase(os.path.abspath(other))


def _described(error, script):
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    for frame in traceback.extract_tb(error.__traceback__):
        if _same_file(frame.filename, script):
            line = frame.lineno
    return {"type": type(error).__name__, "message": _plain(error), "line": line if isinstance(line, int) else 0}
