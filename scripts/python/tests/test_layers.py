"""What the check of the layers reports, on packages of a few lines."""

from pathlib import Path
from typing import Any

import pytest

from repository.checks.layers import Agreed, check
from repository.checks.swift import read


def package(**targets: list[str]) -> dict[str, Any]:
    """As `swift package dump-package` prints it: Upper uses Lower, and so on; names with dots are products."""

    def dependency(name: str) -> dict[str, list[str | None]]:
        return {"product": [name.removeprefix("."), "some-package", None]} if "." in name else {"byName": [name, None]}

    return {
        "targets": [
            {
                "name": name,
                "type": "test" if name.endswith("Tests") else "regular",
                "dependencies": list(map(dependency, names)),
            }
            for name, names in targets.items()
        ]
    }


@pytest.fixture
def problems(tmp_path: Path) -> Any:
    """Writes files, by their paths, and gives what the check reports."""

    def write(package: dict[str, Any], files: dict[str, str], agreed: tuple[Agreed, ...] = ()) -> list[str]:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return list(check(tmp_path, package, agreed))

    return write


LAYERS = package(Upper=["Lower", ".Deques"], Lower=[], UpperTests=["Upper"])


def test_declared_imports_and_those_of_the_toolchain_are_fine(problems: Any) -> None:
    text = "import Deques\nimport Foundation\npackage import Lower\n@testable import struct Lower.A\n"
    assert (
        problems(LAYERS, {"Sources/Upper/A.swift": text, "Tests/UpperTests/B.swift": "@testable import Upper\n"}) == []
    )


def test_an_import_against_the_layers_is_reported(problems: Any) -> None:
    (problem,) = problems(LAYERS, {"Sources/Lower/A.swift": "import Foundation\nimport Upper\n"})
    assert problem.startswith("Sources/Lower/A.swift:2: Lower imports Upper, which is above it")


@pytest.mark.parametrize("line", ["import Lower", "@testable internal import Lower", "import class Lower.A"])
def test_an_import_that_is_not_declared_is_reported(problems: Any, line: str) -> None:
    (problem,) = problems(LAYERS, {"Tests/UpperTests/A.swift": f"{line}\nimport Upper\n"})
    assert problem == "Tests/UpperTests/A.swift:1: UpperTests imports Lower: Package.swift does not declare that"


def test_a_dependency_that_nothing_imports_is_reported(problems: Any) -> None:
    assert problems(LAYERS, {"Sources/Upper/A.swift": "// import Deques\nimport Lower\n"}) == [
        "Package.swift: Upper depends on Deques, and no file of it imports that"
    ]


def test_imports_in_comments_and_strings_are_none(problems: Any) -> None:
    comments = "// import A\n/* /* */ import B */\n"
    text = comments + 'let program = """\nimport C\n"""\nlet raw = #"""\n"import D\nimport E\n"""#\n'
    assert problems(LAYERS, {"Sources/Lower/A.swift": text}) == []


CYCLE = {
    "Sources/Lower/Air/Link.swift": "final class Link {\n    let owner: Device\n}\n",
    "Sources/Lower/Things/Device.swift": "@Main\npublic final class Device {\n    var links: [Link]\n}\n",
}


def test_folders_that_use_each_other_are_reported(problems: Any) -> None:
    (problem,) = problems(LAYERS, CYCLE)
    assert problem == (
        "Lower: folders use each other: Air uses Device of Things (Link.swift), Things uses Link of Air (Device.swift)"
    )


def test_a_cycle_of_three_folders_is_reported_once(problems: Any) -> None:
    files = {
        f"Sources/Lower/{here}/F.swift": f"struct In{here} {{ var next: In{there} }}"
        for here, there in ("AB", "BC", "CA")
    }
    (problem,) = problems(LAYERS, files)
    assert problem.count(" uses ") == 3


def test_one_direction_is_fine(problems: Any) -> None:
    files = CYCLE | {"Sources/Lower/Air/Link.swift": '/// Of a Device.\nfinal class Link { let name = "Device" }\n'}
    assert problems(LAYERS, files) == []


def test_files_outside_of_folders_may_use_all_and_be_used(problems: Any) -> None:
    files = CYCLE | {"Sources/Lower/Device.swift": "class Device { var link: Link }"}
    del files["Sources/Lower/Things/Device.swift"]
    assert problems(LAYERS, files) == []


def test_names_that_are_declared_in_several_folders_or_within_types_count_for_none(problems: Any) -> None:
    files = CYCLE | {"Sources/Lower/More/Device.swift": "enum Device {}"}
    assert problems(LAYERS, files) == []
    files = CYCLE | {"Sources/Lower/Things/Device.swift": "enum Things {\n    class Device { var link: Link }\n}"}
    assert problems(LAYERS, files | {"Sources/Lower/More/Device.swift": ""}) == []


def test_an_agreed_use_closes_no_cycle(problems: Any) -> None:
    assert problems(LAYERS, CYCLE, (Agreed("Lower", "Air", "Things", "a link has an owner"),)) == []
    assert len(problems(LAYERS, CYCLE, (Agreed("Upper", "Air", "Things", "another target's"),))) == 1


def test_members_of_other_types_are_no_uses(problems: Any) -> None:
    files = CYCLE | {"Sources/Lower/Air/Link.swift": "final class Link: Swift.Device { case a(Kind.Device) }\n"}
    assert problems(LAYERS, files) == []


@pytest.mark.parametrize(
    "text",
    [
        'let name = "org.bluez.Device1"',
        'let name = "a \\(call("org.freedesktop.DBus")) b"',
        'let path = "/org/bluez/\\(name)"',
        'let text = """\n    --dest=org.bluez x\n    """',
    ],
)
def test_names_of_the_bus_in_strings_are_reported(problems: Any, text: str) -> None:
    layers = package(Upper=[], BlueZ=[], UpperTests=[])
    files = {f"{folder}/A.swift": text for folder in ("Sources/Upper", "Sources/BlueZ", "Tests/UpperTests")}
    (problem,) = problems(layers, files)
    assert problem.startswith(f"Sources/Upper/A.swift:{1 + text.split('org')[0].count(chr(10))}: org")


def test_names_of_the_bus_in_comments_are_fine(problems: Any) -> None:
    text = 'import Deques\nimport Lower\n/// `org.bluez.Device1`, "org.bluez"\nlet site = "https://org.example/bluez"\n'
    assert problems(LAYERS, {"Sources/Upper/A.swift": text}) == []


def test_what_is_interpolated_is_code() -> None:
    source = read('let a = "one \\(f("two", (B.c)))three" + C.d // E')
    assert [text for _, text in source.strings] == ["one ", "two", "three"]
    assert "B.c" in source.code and "C.d" in source.code and "E" not in source.code and "one" not in source.code


def test_a_string_that_does_not_end_ends_with_its_line() -> None:
    assert "B" in read('let a = "one\nlet b = B').code
