// libyaml, which Yams makes its nodes with: a module of Yams' package.
import CYaml
package import PlainText

/// Checks a YAML text event by event, and refuses texts that must not be made into nodes.
///
/// Yams builds nodes recursively, and compares, hashes and frees them recursively together with the targets of their
/// aliases: a few hundred bytes can take forever, a few thousand the whole call stack.
package enum YAMLBounds {
    /// How deep lists and mappings may be nested, including the targets of aliases.
    package static let maximumDepth = 100
    /// How many scalars, lists and mappings there may be, including the targets of aliases.
    package static let maximumNodes = 200_000
    /// How many lines may start with `%`. libyaml compares each directive with all others.
    package static let maximumDirectives = 64

    /// Checks the first document of a text. A text that is not YAML passes as far as it is YAML: the parser reports
    /// what is wrong with it.
    package static func check(_ text: String) throws(FileMistake) {
        guard directiveCount(text) <= maximumDirectives else {
            throw FileMistake("more than \(maximumDirectives) lines begin with %")
        }
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(FileMistake) in
                var walk = Walk()
                let events = EventStream(bytes)
                while let event = events.next(), try walk.take(event) {}
            }
        }
        try result.get()
    }

    /// How many lines begin with `%`, blank lines aside.
    private static func directiveCount(_ text: String) -> Int {
        var (count, isLineBegin) = (0, true)
        for byte in text.utf8 {
            if isLineBegin, byte == UInt8(ascii: "%") { count += 1 }
            isLineBegin = byte == UInt8(ascii: "\n")
        }
        return count
    }

    /// libyaml's events of a text, which has to outlive this.
    private final class EventStream {
        private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            parser.initialize(to: yaml_parser_t())
            yaml_parser_initialize(parser)
            yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
        }

        deinit {
            yaml_parser_delete(parser)
            parser.deallocate()
        }

        /// Nil at the end, and where the text is not YAML.
        func next() -> Event? {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1, event.type != YAML_NO_EVENT else { return nil }
            defer { yaml_event_delete(&event) }
            return Event(event)
        }
    }

    /// The part of an event that matters here.
    private struct Event {
        enum Kind {
            case scalar(anchor: String?)
            case begin(isMapping: Bool, anchor: String?)
            case end
            case alias(String)
            case documentEnd
            case other
        }
        let kind: Kind
        let place: DataNode.Place

        init(_ event: yaml_event_t) {
            func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
                pointer.map { String(decodingCString: $0, as: UTF8.self) }
            }
            place = .init(line: Int(event.start_mark.line) + 1, column: Int(event.start_mark.column) + 1)
            switch event.type {
            case YAML_SCALAR_EVENT: kind = .scalar(anchor: text(event.data.scalar.anchor))
            case YAML_SEQUENCE_START_EVENT:
                kind = .begin(isMapping: false, anchor: text(event.data.sequence_start.anchor))
            case YAML_MAPPING_START_EVENT:
                kind = .begin(isMapping: true, anchor: text(event.data.mapping_start.anchor))
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: kind = .end
            case YAML_ALIAS_EVENT: kind = .alias(text(event.data.alias.anchor) ?? "")
            case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
            default: kind = .other
            }
        }
    }

    /// The place of the walk in the tree, and the sizes of its anchors' targets.
    private struct Walk {
        /// A list or mapping that is open.
        private struct Open {
            let isMapping: Bool
            let anchor: String?
            /// How many nodes came before it.
            let nodesBefore: Int
            /// How deep it is nested, itself included.
            var height = 1
            var isKeyNext: Bool
        }
        private struct Anchored {
            var nodes: Int
            /// 0 for a scalar.
            var height: Int
        }

        private var open: [Open] = []
        private var anchors: [String: Anchored] = [:]
        private var nodes = 0

        /// - Returns: whether the walk goes on.
        mutating func take(_ event: Event) throws(FileMistake) -> Bool {
            switch event.kind {
            case .scalar(let anchor):
                try add(Anchored(nodes: 1, height: 0), event.place)
                if let anchor { anchors[anchor] = Anchored(nodes: 1, height: 0) }
            case .alias(let name):
                // A list or mapping gets its anchor only at its end, so that none can contain itself.
                guard let anchored = anchors[name] else {
                    let shown = name.prefix(40)
                    throw FileMistake(
                        "alias *\(shown) does not follow a complete anchor &\(shown)", at: event.place)
                }
                try add(anchored, event.place)
            case .begin(let isMapping, let anchor):
                guard open.last?.isKeyNext != true else { throw .key(event.place) }
                guard open.count < maximumDepth else { throw .depth(event.place) }
                open.append(Open(isMapping: isMapping, anchor: anchor, nodesBefore: nodes, isKeyNext: isMapping))
                try count(1, event.place)
            case .end:
                guard let ended = open.popLast() else { return false }
                if let anchor = ended.anchor {
                    anchors[anchor] = Anchored(nodes: nodes - ended.nodesBefore, height: ended.height)
                }
                complete(height: ended.height)
            case .documentEnd: return false
            case .other: break
            }
            return true
        }

        /// Counts a scalar, or the target of an alias.
        private mutating func add(_ node: Anchored, _ place: DataNode.Place) throws(FileMistake) {
            guard open.last?.isKeyNext != true || node.height == 0 else { throw .key(place) }
            guard open.count + node.height <= maximumDepth else { throw .depth(place) }
            try count(node.nodes, place)
            complete(height: node.height)
        }

        private mutating func count(_ more: Int, _ place: DataNode.Place) throws(FileMistake) {
            nodes += more
            guard nodes <= maximumNodes else { throw .size(place) }
        }

        /// A node of this height is complete in the list or mapping that is open.
        private mutating func complete(height: Int) {
            guard var parent = open.popLast() else { return }
            parent.height = max(parent.height, height + 1)
            if parent.isMapping { parent.isKeyNext.toggle() }
            open.append(parent)
        }
    }
}

/// What must not be made into nodes.
extension FileMistake {
    fileprivate static func depth(_ place: DataNode.Place) -> FileMistake {
        FileMistake("nesting deeper than \(YAMLBounds.maximumDepth) levels", at: place)
    }

    fileprivate static func size(_ place: DataNode.Place) -> FileMistake {
        FileMistake("the file expands to more than \(YAMLBounds.maximumNodes) values, lists and mappings", at: place)
    }

    fileprivate static func key(_ place: DataNode.Place) -> FileMistake {
        FileMistake("expected a key: plain text, found a list or a mapping", at: place)
    }
}
