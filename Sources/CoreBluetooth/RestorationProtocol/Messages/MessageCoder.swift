import Foundation

/// Messages as bytes.
package enum MessageCoder {
    /// The longest message in bytes. A socket takes it in one piece.
    package static let maximumLength = 96 * 1024

    /// The bytes of a message; nil when it is too long.
    package static func encode(_ message: some Encodable) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(message), data.count <= maximumLength else { return nil }
        return data
    }

    /// The message in `data`; nil for anything else.
    package static func decode<Message: Decodable>(_ type: Message.Type, from data: Data) -> Message? {
        try? JSONDecoder().decode(type, from: data)
    }
}
