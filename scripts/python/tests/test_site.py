"""The site of the documentation: which declarations are a library's."""

from typing import Any

from repository.site import keep_declared

SOURCES = "file:///clone/Sources/Radio/"


def symbol(name: str, uri: str = "") -> dict[str, Any]:
    place = {"location": {"uri": uri}} if uri else {}
    return {"identifier": {"precise": name}, **place}


def relation(source: str, kind: str, target: str) -> dict[str, str]:
    return {"source": source, "kind": kind, "target": target}


def test_what_is_only_exported_again_is_left_out() -> None:
    graph = {
        "symbols": [
            symbol("s:5Radio4BeamV", f"{SOURCES}Beam.swift"),
            symbol("s:5Radio4BeamV2neoiySbAC_ACtFZ"),  # derived by the compiler
            symbol("s:10Foundation4DataV"),
            symbol("c:@macro@IPPROTO_UDP"),
            symbol("s:5Other4LampV", "file:///clone/Sources/RadioOther/Lamp.swift"),
        ],
        "relationships": [
            relation("s:5Radio4BeamV", "conformsTo", "s:SQ"),
            relation("s:10Foundation4DataV", "conformsTo", "s:SQ"),
        ],
    }
    assert keep_declared(graph, "Radio", SOURCES)
    assert [one["identifier"]["precise"] for one in graph["symbols"]] == [
        "s:5Radio4BeamV",
        "s:5Radio4BeamV2neoiySbAC_ACtFZ",
    ]
    assert graph["relationships"] == [relation("s:5Radio4BeamV", "conformsTo", "s:SQ")]


def test_an_extension_stays_with_what_it_declares() -> None:
    own, foreign = "s:SS5RadioE4sentyyF", "s:SS10FoundationE5upperyyF"
    graph = {
        "symbols": [
            symbol(f"s:e:{own}"),
            symbol(own, f"{SOURCES}String.swift"),
            symbol(f"s:e:{foreign}"),
            symbol(foreign),
        ],
        "relationships": [
            relation(own, "memberOf", f"s:e:{own}"),
            relation(f"s:e:{own}", "extensionTo", "s:SS"),
            relation(foreign, "memberOf", f"s:e:{foreign}"),
            relation(f"s:e:{foreign}", "extensionTo", "s:SS"),
        ],
    }
    assert keep_declared(graph, "Radio", SOURCES)
    assert [one["identifier"]["precise"] for one in graph["symbols"]] == [f"s:e:{own}", own]
    assert graph["relationships"] == [
        relation(own, "memberOf", f"s:e:{own}"),
        relation(f"s:e:{own}", "extensionTo", "s:SS"),
    ]


def test_a_graph_without_own_declarations_is_known() -> None:
    graph = {"symbols": [symbol("s:10Foundation4DataV")], "relationships": []}
    assert not keep_declared(graph, "Radio", SOURCES)
