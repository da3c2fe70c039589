import GATTProfiles
import Testing

@Suite struct AttributeSelectorTests {
    private typealias Attribute = (uuid: String, name: String?)

    /// The indices of those that the last step of a path without a service names.
    private func chosen(_ text: String, from candidates: [Attribute]) throws -> [Int] {
        guard case .path(nil, let step, nil) = try #require(AttributeSelector(text)).kind else { return [] }
        return step.choose(from: Array(candidates.enumerated()), uuid: \.element.uuid, name: \.element.name)
            .map(\.offset)
    }

    @Test func `a path has one to three parts, each with or without a number`() throws {
        guard
            case .path(let service?, let characteristic, let descriptor?) =
                try #require(AttributeSelector("180F#2/battery-level/2901#13")).kind
        else { throw Unexpected() }
        #expect(service.part.text == "180F" && service.number == 2)
        #expect(characteristic.part.text == "battery-level" && characteristic.number == nil)
        #expect(descriptor.part.text == "2901" && descriptor.number == 13)
        guard case .path(let owner?, let only, nil) = try #require(AttributeSelector("180D/2A38")).kind
        else { throw Unexpected() }
        #expect(owner.part.text == "180D" && only.part.text == "2A38" && only.number == nil)
    }

    private struct Unexpected: Error {}

    @Test(arguments: [("@002a", 0x2A), ("@2A", 0x2A), ("@ffff", 0xFFFF)])
    func `a handle is one to four hexadecimal digits`(text: String, handle: UInt16) throws {
        #expect(try #require(AttributeSelector(text)).kind == .handle(handle))
    }

    @Test func `handles are typed as they are shown`() {
        #expect(AttributeSelector.text(ofHandle: 0x2A) == "@002a")
        #expect(AttributeSelector(AttributeSelector.text(ofHandle: 0xFFFF))?.kind == .handle(0xFFFF))
    }

    @Test(arguments: [
        "", "/", "a/", "/a", "a//b", "a/b/c/d", "@", "@0", "@12345", "@xyz", "@+1", "@٣", "a/@002a", "@002a/2901",
        "2A19#", "2A19#0", "2A19#-1", "2A19#x", "2A19#+1", "2A19#99999999999999999999", "#2", "180F#/2A19",
    ])
    func `anything else is refused`(text: String) {
        #expect(AttributeSelector(text) == nil)
    }

    @Test func `a number counts those that match, in their order`() throws {
        let attributes: [Attribute] = [
            ("2A19", "Battery Level"), ("2A38", nil), ("00002a19-0000-1000-8000-00805f9b34fb", nil),
        ]
        #expect(try chosen("2A19", from: attributes) == [0, 2])
        #expect(try chosen("2A19#1", from: attributes) == [0])
        #expect(try chosen("2a19#2", from: attributes) == [2])
        #expect(try chosen("2A19#3", from: attributes) == [])
        #expect(try chosen("battery-level", from: attributes) == [0])
        #expect(try chosen("Battery Level#2", from: attributes) == [])
    }
}
