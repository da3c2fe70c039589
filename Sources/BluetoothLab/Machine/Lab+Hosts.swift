import Foundation

/// A lab with two hosts (`./lab run --hosts 2`): machines of their own, joined only by the virtual radio.
extension Lab {
    /// Which host this process runs on, `a` or `b`; nil where the lab has only one.
    public var host: String? {
        ProcessInfo.processInfo.environment["LAB_HOST"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The host that the sensor is on, `a`; nil where the lab has only one.
    public static var sensorHost: String? { current?.host == nil ? nil : "a" }
}

extension ChildProcess {
    /// Starts `program` on a host of the lab; on this one where `host` is nil. Its output, its end and its signals go
    /// by way of `lab-on`.
    public convenience init(
        on host: String?, _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws {
        guard let host else {
            try self.init(program, arguments, environment: environment)
            return
        }
        let settings = environment.map { "\($0.key)=\($0.value)" }
        try self.init("lab-on", [host, "env"] + settings + [program] + arguments)
    }
}
