import Glibc
package import PlainText

/// Standard output of commands that do one thing and print the result: they wait for the reader.
package enum StandardOutput {
    /// Writes lines, each as ``TerminalText`` has it.
    package static func write(_ lines: [String]) throws(OutputError) {
        var bytes: [UInt8] = []
        for line in lines {
            bytes.appendEscaped(line)
            bytes.append(UInt8(ascii: "\n"))
        }
        try write(bytes)
    }

    /// Writes an object as one line.
    package static func write(_ object: JSONObject) throws(OutputError) {
        try write(object.utf8 + [UInt8(ascii: "\n")])
    }

    /// Writes a text of this program's own, line ends and tabs included.
    package static func write(verbatim text: String) throws(OutputError) {
        try write(Array(text.utf8))
    }

    private static func write(_ bytes: [UInt8]) throws(OutputError) {
        if let code = writeWhole(STDOUT_FILENO, bytes[...]).failure { throw OutputError(.failed(code)) }
    }
}
