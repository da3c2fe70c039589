package import PlainText

/// What became of a capture, in plain words, with the packets where it can be seen.
package struct ImportReport: Sendable {
    package typealias Remark = ObservedDevice.Remark

    package var recognized: [Remark] = []
    package var guessed: [Remark] = []
    package var leftOut: [Remark] = []

    mutating func recognize(_ text: String, _ packet: Int? = nil) {
        recognized.append(.init(text: text, packet: packet))
    }
    mutating func guess(_ text: String, _ packet: Int? = nil) { guessed.append(.init(text: text, packet: packet)) }
    mutating func leaveOut(_ text: String, _ packet: Int? = nil) { leftOut.append(.init(text: text, packet: packet)) }

    /// Whether everything was recognized.
    package var isExact: Bool { guessed.isEmpty && leftOut.isEmpty }

    private var sections: [(name: String, remarks: [Remark])] {
        [("recognized", sorted(recognized)), ("guessed", sorted(guessed)), ("left out", sorted(leftOut))]
    }

    /// In the order of their packets, those without one last, and each text without one only once.
    private func sorted(_ remarks: [Remark]) -> [Remark] {
        var seen: Set<Remark> = []
        let unique = remarks.filter { $0.packet != nil || seen.insert($0).inserted }
        return unique.enumerated()
            .sorted { ($0.element.packet ?? .max, $0.offset) < ($1.element.packet ?? .max, $1.offset) }
            .map(\.element)
    }

    package var lines: [String] {
        var lines: [String] = []
        for (name, remarks) in sections where !remarks.isEmpty {
            lines.append("\(name):")
            lines += remarks.map { "  " + ($0.packet.map { "packet \($0): " } ?? "") + $0.text }
        }
        return lines
    }

    package func add(to object: inout JSONObject) {
        object.add("recognized", sorted(recognized).map(Self.object))
        object.add("guessed", sorted(guessed).map(Self.object))
        object.add("leftOut", sorted(leftOut).map(Self.object))
    }

    private static func object(_ remark: Remark) -> JSONObject {
        var object = JSONObject()
        object.add("packet", remark.packet)
        object.add("text", remark.text)
        return object
    }
}
