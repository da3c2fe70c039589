import Foundation

/// Something that takes what comes from outside, and the inputs that it is given.
struct FuzzTarget: Sendable {
    /// By which it is chosen.
    let name: String
    /// How many of the inputs it gets, compared with the other targets.
    let weight: Int
    /// Makes an input. The same dice make the same one.
    let generate: @Sendable (inout Dice) throws -> [UInt8]
    /// Takes an input, well-formed or not. What it must not do: trap, hang, keep memory, or throw.
    let run: @Sendable ([UInt8]) throws -> Void

    /// All targets. To add one, write it below `Targets` and name it here.
    static let all: [FuzzTarget] = [
        .formats,
        .profiles, .scenarios, .control, .agent, .record, .values, .identifiers, .advertisements, .bluetoothd, .radio,
        .scenes, .radioControl, .http, .captures,
    ]
}

/// Prints a line at once, so that it is there when the process is trapped a moment later.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Something that should hold does not.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless the condition holds.
func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    guard condition else { throw BrokenPromise(description: what()) }
}
