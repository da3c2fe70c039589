/// Takes the lines of a recording.
package protocol RecordingOutput: AnyObject {
    /// Of the file.
    var path: String { get }

    /// Takes a line, without its end. It may be kept until ``flush()``.
    func write(_ line: String)
    /// Lets others see all lines.
    func flush()
}
