"""Builds one static site of the libraries' documentation (DocC) and the guides in docs/.

usage: scripts/docs [--base-path PATH] [--repository URL] [FOLDER]

FOLDER is .build/site by default; look at it with `python3 -m http.server -d .build/site`. PATH is where the site will
be on its server, such as /bluejay-linux. Links from the guides to files that are not on the site lead to the
repository's URL, if it is given. A link without an aim, or with more than one, is an error."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from bluetooth_lab.places import ROOT

LIBRARIES = ["Bluejay", "CoreBluetooth", "BluetoothLab"]
# The build for the documentation is a separate one: it has options that change everything.
SYMBOLS = ROOT / ".build" / "docs" / "symbols"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def run(*command: str | pathlib.Path) -> None:
    result = subprocess.run([str(word) for word in command], cwd=ROOT, check=False)
    if result.returncode:
        sys.exit(f"scripts/docs: failed: {' '.join(str(word) for word in command)}")


def build_symbol_graphs() -> None:
    """Has the compiler write what the libraries' public declarations and their comments are.

    It does so while it builds. `swift-symbolgraph-extract`, which reads a module afterwards, cannot read one whose
    files import others for their own use. Only modules are built, as an editor has them built for its index: the
    documentation runs nothing.
    """
    SYMBOLS.mkdir(parents=True, exist_ok=True)
    flags = ["-emit-symbol-graph", "-emit-symbol-graph-dir", str(SYMBOLS), "-emit-extension-block-symbols"]
    flags += ["-symbol-graph-minimum-access-level", "public", "-symbol-graph-skip-synthesized-members"]
    options = ["--experimental-prepare-for-indexing", "--experimental-prepare-for-indexing-no-lazy"]
    options += ["--disable-index-store", *(word for flag in flags for word in ("-Xswiftc", flag))]
    for library in LIBRARIES:
        run("swift", "build", "--scratch-path", SYMBOLS.parent, *options, "--target", library)


def symbol_graph(library: str, folder: pathlib.Path) -> None:
    """Copies a library's part of the symbol graphs, without what it only exports again, such as all of Foundation."""
    folder.mkdir()
    files = [*SYMBOLS.glob(f"{library}.symbols.json"), *SYMBOLS.glob(f"{library}@*.symbols.json")]
    if not files:
        sys.exit(f"scripts/docs: the compiler has written no symbol graph of {library}")
    for file in files:
        graph = json.loads(file.read_bytes())
        if keep_declared(graph, library, f"{(ROOT / 'Sources' / library).as_uri()}/"):
            (folder / file.name).write_text(json.dumps(graph), encoding="utf-8")


def keep_declared(graph: dict[str, Any], library: str, sources: str) -> bool:
    """Leaves in a symbol graph what the library itself declares: what is in its sources, what the compiler derives, and
    the extensions that these are in. Whether anything is left."""
    symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
    derived = f"s:{len(library)}{library}"
    own = {
        name
        for name, symbol in symbols.items()
        if symbol.get("location", {}).get("uri", "").startswith(sources) or name.startswith(derived)
    }
    relations = [relation for relation in graph["relationships"] if relation["source"] in own]
    extensions = {relation["target"] for relation in relations if relation["kind"] == "memberOf"} & symbols.keys()
    relations += [
        relation
        for relation in graph["relationships"]
        if relation["source"] in extensions - own and relation["kind"] == "extensionTo"
    ]
    graph["symbols"] = [symbol for name, symbol in symbols.items() if name in own | extensions]
    graph["relationships"] = relations
    return bool(own)


def convert(
    catalog: pathlib.Path, name: str, archive: pathlib.Path, base_path: str, *options: str | pathlib.Path
) -> None:
    run(
        "docc",
        "convert",
        catalog,
        "--fallback-display-name",
        name,
        "--fallback-bundle-identifier",
        name,
        "--output-path",
        archive,
        "--transform-for-static-hosting",
        "--hosting-base-path",
        base_path,
        "--warnings-as-errors",
        "--disable-parameters-and-returns-validation",
        *options,
    )


class Guides:
    """The pages of docs/ as a catalog, with docs/README.md at their head."""

    def __init__(self, repository: str | None) -> None:
        self.repository = repository
        self.folder = ROOT / "docs"
        self.pages = sorted(self.folder.glob("*.md"))

    def write(self, catalog: pathlib.Path) -> None:
        catalog.mkdir()
        for page in self.pages:
            text = self.with_links(page)
            if page.stem == "README":
                text = self.root(text)
            (catalog / f"{self.name(page)}.md").write_text(text, encoding="utf-8")
        for picture in [*self.folder.glob("*.svg"), *self.folder.glob("*.png")]:
            shutil.copy(picture, catalog)

    def with_links(self, page: pathlib.Path) -> str:
        parts = re.split(r"(^```.*?^```$)", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        # Code stays as it is.
        parts[::2] = [LINK.sub(lambda link: self.link(page, *link.groups()), part) for part in parts[::2]]
        return "".join(parts)

    @staticmethod
    def root(text: str) -> str:
        """The page at the head, whose lists of pages become its topics."""
        title, rest = text.split("\n", 1)
        rest = re.sub(r"^## ", "### ", rest, flags=re.MULTILINE).replace("### ", "## Topics\n\n### ", 1)
        rest = re.sub(r"^- \[[^\]]*\]\((doc:[^)]*)\).*$", r"- <\1>", rest, flags=re.MULTILINE)
        return f"{title}\n\n@Metadata {{\n    @TechnologyRoot\n}}\n{rest}"

    @staticmethod
    def name(page: pathlib.Path) -> str:
        return "Guides" if page.stem == "README" else page.stem

    def link(self, page: pathlib.Path, mark: str, text: str, aim: str) -> str:
        """A link of a page as the site has it: to another page, or to a file of the repository."""
        path, _, anchor = aim.partition("#")
        if mark or "://" in aim:
            return f"{mark}[{text}]({aim})"
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            sys.exit(f"scripts/docs: {page.relative_to(ROOT)} has a link to {aim}, which is not there")
        if target in self.pages:
            # The fragment that DocC makes of a heading keeps its capital letters.
            heading = self.heading(target, anchor) if anchor else None
            return f"[{text}](doc:{self.name(target)}{'#' + heading if heading else ''})"
        if not self.repository:
            return text
        return f"[{text}]({self.repository}/blob/main/{target.relative_to(ROOT)}{'#' + anchor if anchor else ''})"

    @staticmethod
    def heading(page: pathlib.Path, anchor: str) -> str:
        for line in page.read_text(encoding="utf-8").splitlines():
            title = line.lstrip("#").strip()
            words = re.sub(r"[^\w\- ]", "", title).strip()
            if line.startswith("#") and words.lower().replace(" ", "-") == anchor:
                return re.sub(r"\s+", "-", title)
        sys.exit(f"scripts/docs: {page.relative_to(ROOT)} has no heading for #{anchor}")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/docs", description="Builds one static site of the documentation.")
    parser.add_argument("--base-path", default="/", help="where the site will be on its server; default: /")
    parser.add_argument("--repository", metavar="URL", help="for links to files that are not on the site")
    parser.add_argument("folder", nargs="?", default=str(ROOT / ".build" / "site"))
    arguments = parser.parse_args(words)
    site = pathlib.Path(arguments.folder).resolve()

    build_symbol_graphs()
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        archives = []
        for library in LIBRARIES:
            symbol_graph(library, work / library)
            archives.append(work / f"{library}.doccarchive")
            convert(
                ROOT / "Sources" / library / f"{library}.docc",
                library,
                archives[-1],
                arguments.base_path,
                "--additional-symbol-graph-dir",
                work / library,
            )
        Guides(arguments.repository).write(work / "Guides.docc")
        archives.append(work / "Guides.doccarchive")
        convert(work / "Guides.docc", "Guides", archives[-1], arguments.base_path)
        run(
            "docc",
            "merge",
            *archives,
            "--output-path",
            work / "site",
            "--synthesized-landing-page-name",
            "bluejay-linux",
            "--synthesized-landing-page-kind",
            "Package",
            "--synthesized-landing-page-topics-style",
            "list",
        )
        # The page without a path; DocC leaves it empty.
        (work / "site" / "index.html").write_text('<meta http-equiv="refresh" content="0; url=documentation/">\n')
        shutil.rmtree(site, ignore_errors=True)
        site.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(work / "site", site)
        # What editors read by its address.
        for schema in (ROOT / "docs").glob("*.schema.json"):
            shutil.copy(schema, site)
    print(f"the site is in {os.path.relpath(site)}")

    return 0
