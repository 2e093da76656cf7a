"""Windows, or rather a process without what Windows lacks; it finds only what is taken away from it here."""

import subprocess
import sys
from pathlib import Path

from conftest import SCENARIOS

_TAKE_AWAY = """
import errno, importlib, os, pkgutil, shutil, signal, sys
import click, matplotlib.figure, multiprocessing.connection, numpy, pyarrow.compute, pyarrow.parquet, rich.console

sys.modules["fcntl"] = sys.modules["resource"] = sys.modules["termios"] = None
for name in ("SIGHUP", "SIGPIPE", "SIGALRM", "SIGKILL", "pthread_sigmask"):
    delattr(signal, name)
for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "fork", "getuid", "kill", "sched_getaffinity", "statvfs"):
    if hasattr(os, name):
        delattr(os, name)
shutil._use_fd_functions = False
open_file, flush, writable = os.open, os.fsync, set()

def open_as_windows_does(path, flags, *rest, **others):
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))
    opened = open_file(path, flags, *rest, **others)
    (writable.add if flags & (os.O_WRONLY | os.O_RDWR) else writable.discard)(opened)
    return opened

def flush_as_windows_does(opened):
    if opened not in writable:
        raise OSError(errno.EBADF, "Bad file descriptor")
    flush(opened)

os.open, os.fsync, sys.platform = open_as_windows_does, flush_as_windows_does, "win32"
"""


_USE = """
import xoff.cli

for module in pkgutil.walk_packages(xoff.__path__, "xoff."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for _ in range(2):
    xoff.cli.main()
"""


def test_every_module_is_imported_and_a_result_written_and_replaced(tmp_path: Path) -> None:
    arguments = ["run", str(SCENARIOS / "web_search.toml"), "--set", "stop.arrivals_end=100us", "--out", "out"]
    command = [sys.executable, "-c", _TAKE_AWAY + _USE, *arguments, "--force"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
