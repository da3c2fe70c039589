"""Keeps what it was given."""

import json
import os
import sys

content = json.load(sys.stdin)
folder = f"{sys.argv[1]}/failures/{content['test']}"
os.makedirs(folder)
with open(f"{folder}/content.json", "w") as file:
    json.dump(content, file)
print(folder)
