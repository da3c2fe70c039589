/// A refusal of a method call, with a D-Bus error name.
package struct MethodFailure: Error, Swift.Sendable {
    package let name: String
    package let message: String

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    init(_ error: StandardError, _ message: String) {
        self.init(name: error.name, message: message)
    }

    static func unknownProperty(_ name: String) -> MethodFailure {
        MethodFailure(.unknownProperty, "No property \(name)")
    }

    package static func invalidArguments(_ message: String) -> MethodFailure {
        MethodFailure(.invalidArguments, message)
    }
}
