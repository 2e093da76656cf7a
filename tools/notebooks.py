"""Runs the notebooks of examples/notebooks again, and keeps what their cells show: `make notebooks`."""

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"


def strip(path: Path) -> None:
    """Leaves out of a notebook when its cells ran, and in which Python."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"] = {"kernelspec": notebook["metadata"]["kernelspec"]}
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    notebooks = sorted(FOLDER.glob("*.ipynb"))
    execute = Path(sys.executable).with_name("jupyter-execute")
    subprocess.run([execute, "--inplace", *notebooks], check=True)
    for each in notebooks:
        strip(each)
