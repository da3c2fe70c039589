import GATTProfiles
import PlainText

extension FileNode {
    /// The bytes of a value: in one of the forms of ``ValueText``, or a list of them, concatenated.
    func value(maximumLength: Int = LabService.maximumValueLength) throws(FileMistake) -> [UInt8] {
        var bytes: [UInt8] = []
        if isList {
            for part in try list(of: "values") {
                bytes += context.attempt(try part.value(maximumLength: maximumLength)) ?? []
            }
        } else {
            do throws(ValueText.ParsingError) {
                bytes = try ValueText.parse(try textOfValue())
            } catch {
                throw fail(error.description)
            }
        }
        guard bytes.count <= maximumLength else {
            throw fail("value too long: \(bytes.count) bytes (limit \(maximumLength))")
        }
        return bytes
    }

    private func textOfValue() throws(ValueText.ParsingError) -> String {
        do throws(FileMistake) {
            return try text("a value")
        } catch {
            throw ValueText.ParsingError(
                description: "expected a value such as hex:0A0B, text:hello, u16:1 or empty, or a list of such values")
        }
    }
}
