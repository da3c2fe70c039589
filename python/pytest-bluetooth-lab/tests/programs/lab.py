"""`lab run [OPTION VALUE]… -- COMMAND`: the command with what the lab puts into its environment."""

import os
import sys

split = sys.argv.index("--")
options, command = sys.argv[2:split], sys.argv[split + 1 :]
with open(os.environ["FAKE_LAB"] + "/lab.log", "a") as log:
    log.write(" ".join(options) + "\n")
if "FAKE_LAB_FAILS" in os.environ:
    print("lab: no kernel for the lab", file=sys.stderr)
    sys.exit(125)
out = options[options.index("--out") + 1]
os.makedirs(out, exist_ok=True)
os.environ.update(
    BLUETOOTH_LAB="1",
    LAB_OUT=out,
    LAB_RUN=os.environ["FAKE_LAB"],
    HOME="/nowhere",
    LAB_CONTROLLERS=options[options.index("--controllers") + 1],
    PATH=os.environ["FAKE_LAB"] + "/bin:" + os.environ["PATH"],
)
os.execvp(command[0], command)
