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
        [("recognized", recognized), ("guessed", guessed), ("left out", leftOut)]
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
        object.add("recognized", recognized.map(Self.object))
        object.add("guessed", guessed.map(Self.object))
        object.add("leftOut", leftOut.map(Self.object))
    }

    private static func object(_ remark: Remark) -> JSONObject {
        var object = JSONObject()
        object.add("packet", remark.packet)
        object.add("text", remark.text)
        return object
    }
}
