import Foundation
import PlainText
import Testing

@testable import RadioControl

/// `docs/scene.schema.json` has the keys that the reader takes.
@Suite struct SceneSchemaTests {
    private let schema: DataNode

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        schema = try JSONReader.read(Data(contentsOf: root.appendingPathComponent("docs/scene.schema.json")))
    }

    private func keys(_ node: DataNode?) -> [String] {
        guard case .mapping(let members, _)? = node?["properties"] else { return [] }
        return members.map(\.key).sorted()
    }

    private func triggers(_ name: String) -> [String]? {
        definition(name)?["properties"]?["on"]?["enum"]?.elements.compactMap(\.text).sorted()
    }

    private func definition(_ name: String) -> DataNode? { schema["definitions"]?[name] }

    @Test func `the parts of a scene have the reader's keys`() {
        #expect(keys(schema) == SceneReader.keys.sorted())
        #expect(keys(schema["properties"]?["path-loss"]) == SceneReader.pathLossKeys.sorted())
        #expect(keys(definition("wall")) == SceneReader.wallKeys.sorted())
        #expect(keys(definition("device")) == SceneReader.deviceKeys.sorted())
        #expect(keys(definition("jammer")) == CommandReader.jammer.sorted())
    }

    @Test func `the parts of phantoms have the reader's keys`() {
        #expect(keys(definition("phantom")) == PhantomReader.keys.sorted())
        let manufacturer = definition("phantom")?["properties"]?["manufacturer"]
        #expect(keys(manufacturer) == PhantomReader.manufacturerKeys.sorted())
        let peripheral = definition("peripheral")
        #expect(keys(peripheral) == PhantomReader.peripheralKeys.sorted())
        #expect(keys(peripheral?["properties"]?["services"]?["items"]) == PhantomReader.serviceKeys.sorted())
        #expect(keys(definition("characteristic")) == PhantomReader.characteristicKeys.sorted())
        #expect(keys(definition("fault")) == PhantomFaultReader.peripheralKeys.sorted())
        #expect(triggers("fault") == PhantomFaultReader.peripheralTriggers.map(\.0).sorted())
        #expect(triggers("characteristic-fault") == PhantomFaultReader.triggers.map(\.0).sorted())
    }

    @Test func `the steps have the commands' keys`() {
        #expect(keys(definition("step")) == (["at"] + CommandReader.names).sorted())
        // Its other keys are those of phantoms.
        for name in CommandReader.names where name != "phantom" {
            let step = definition("step")?["properties"]?[name]
            #expect(keys(step) == CommandReader.keys[name]?.sorted(), "\(name)")
        }
    }
}
