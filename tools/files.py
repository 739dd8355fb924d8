"""What the program of a run may open: copies in a folder of the run's own, so that it can neither reach nor change anything else.

A program that is a folder brings the files in it, but sources and what is hidden; FILES= adds others by their names. A symbolic link is
taken as the file it leads to if that lies in the folder too.
"""
import os
import shutil
from pathlib import Path

import app as programs

#: Bytes copied at most.
MOST = 256 << 20
NOT_DATA = (*programs.SOURCES, *programs.HEADERS, ".o", ".a")


class Refused(Exception):
    """The message is the whole sentence for the user."""


def given(files: str, stdin: str) -> list[Path]:
    """FILES= as paths; refuses what is no file."""
    found = [Path(name).expanduser() for name in files.split(",") if name]
    for path in found:
        if not path.is_file():
            raise Refused(f"FILES={files}: '{path}' is no file; legal are paths of files, commas between")
    names = [path.name for path in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise Refused(f"FILES={files}: two are called '{twice[0]}', by which the program opens them")
    if stdin and not Path(stdin).expanduser().is_file():
        raise Refused(f"STDIN={stdin} is no file")
    return found


def in_folder(folder: Path) -> list[Path]:
    """Data files of a program's folder, relative to it."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            if name.startswith(".") or name.endswith(NOT_DATA) or not path.is_file() or folder.resolve() not in path.resolve().parents:
                continue
            found.append(path.relative_to(folder))
    return found


def stage(app: str, files: list[Path], target: Path) -> None:
    """Makes `target` anew, with copies of all."""
    _, _, folder = programs.resolve(app)
    whole = folder != programs.APPS and not Path(app).expanduser().is_file()
    copies = {path: folder / path for path in (in_folder(folder) if whole else [])}
    copies.update({Path(path.name): path for path in files})
    size = sum(path.stat().st_size for path in copies.values())
    if size > MOST:
        raise Refused(f"APP={app}: its files have {size} bytes, {MOST} are legal: move what it does not open out of its folder")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name, path in copies.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / name)
