#!/bin/sh
# Says in a sentence what is missing before anything is installed. usage: preflight.sh PYTHON
python=$1
if ! command -v "$python" >/dev/null 2>&1; then
  echo "bitte_nb needs Python 3.11 or newer, and there is no $python here. Name yours: make demo PYTHON=python3.12" >&2
  exit 1
fi
"$python" - <<'END' || exit 1
import sys

if sys.version_info < (3, 11):
    sys.exit("bitte_nb needs Python 3.11 or newer, and %s is %d.%d. Name another: make demo PYTHON=python3.12"
             % (sys.executable, sys.version_info[0], sys.version_info[1]))
try:
    import ensurepip
except ImportError:
    sys.exit("%s cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv" % sys.executable)
END
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  echo "The widget's JavaScript is built with Node.js 20 or newer and its npm, and they are not on PATH. Install Node.js and run this again." >&2
  exit 1
fi
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 20 ]; then
  echo "The widget's JavaScript is built with Node.js 20 or newer, and node here is $(node --version). Install a newer one and run this again." >&2
  exit 1
fi
