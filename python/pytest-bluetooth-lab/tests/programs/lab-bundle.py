"""Keeps what it was given; `crashes START`: the names of the core files."""

import json
import os
import sys

if sys.argv[1] == "crashes":
    assert float(sys.argv[2]) > 0
    print("\n".join(sorted(os.listdir(os.environ["LAB_RUN"] + "/cores"))))
    sys.exit()
content = json.load(sys.stdin)
folder = f"{sys.argv[1]}/failures/{content['test']}"
os.makedirs(folder)
with open(f"{folder}/content.json", "w") as file:
    json.dump(content, file)
print(folder)
