package import Logging

/// Logs why something is tried again: the first error, each that differs from the one before, and the end. A step that
/// fails in the same way a thousand times leaves two lines.
package struct RetryLog: Swift.Sendable {
    private let logger: Logger
    private let what: String
    private var lastError: String?
    private var failures = 0

    /// - Parameter what: what is tried, as in "cannot connect to the bus": "connect to the bus".
    package init(_ logger: Logger, _ what: String) {
        self.logger = logger
        self.what = what
    }

    /// An attempt has failed, and there will be another.
    package mutating func failed(_ error: @autoclosure () -> String) {
        failures += 1
        guard logger.logLevel <= .debug else { return }
        let error = error()
        guard error != lastError else { return }
        lastError = error
        logger.debug("cannot \(what) yet: \(error)", metadata: ["attempt": "\(failures)"])
    }

    /// It has succeeded, or there will be no further attempt.
    package mutating func ended(_ outcome: @autoclosure () -> String = "done") {
        if failures > 0 { logger.debug("\(what): \(outcome())", metadata: ["failures": "\(failures)"]) }
        failures = 0
        lastError = nil
    }
}
