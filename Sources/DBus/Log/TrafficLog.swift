import Logging
import MainLoop

/// What is logged of the messages on a bus, at `trace`: each call in both directions, its answer with the time that it
/// took, and each signal that arrives.
enum TrafficLog {
    static let logger = Logger(.dbus)

    static var isOn: Bool { logger.logLevel <= .trace }

    /// A call that is under way; nil while nothing is logged.
    struct Call {
        private let name: MethodCall.Name
        private let direction: Direction
        private let start = ContinuousClock.now

        enum Direction: String {
            /// This program calls another.
            case call
            /// Another calls an object of this program.
            case called
        }

        init?(
            _ direction: Direction, _ name: @autoclosure () -> MethodCall.Name, with peer: String,
            arguments: @autoclosure () -> [BusValue]
        ) {
            guard isOn else { return nil }
            let name = name()
            self.name = name
            self.direction = direction
            logger.trace(
                "\(direction.rawValue) \(name.interface).\(name.method)",
                metadata: [
                    "path": "\(name.path)", direction == .call ? "to" : "by": "\(peer)",
                    "arguments": "\(BusValueText.text(of: arguments()))",
                ])
        }

        func ended(with result: Result<MethodReply, any Error>) {
            switch result {
            case .success(let reply): answered(reply.arguments)
            case .failure(is CancellationError): failed("no longer waited for")
            case .failure(let error): failed("\(error)")
            }
        }

        func answered(_ values: [BusValue]) {
            report("values", BusValueText.text(of: values))
        }

        func failed(_ error: String) {
            report("error", error)
        }

        private func report(_ key: String, _ text: String) {
            let milliseconds = (start.duration(to: .now) / .microseconds(1)).rounded() / 1000
            logger.trace(
                "\(direction == .call ? "answer to" : "answered") \(name.interface).\(name.method)",
                metadata: ["path": "\(name.path)", "ms": "\(milliseconds)", "\(key)": "\(text)"])
        }
    }

    @LoopActor
    static func signal(_ message: RawMessage) {
        guard isOn else { return }
        logger.trace(
            "signal \(message.interface ?? "").\(message.member)",
            metadata: [
                "path": "\(message.path)", "by": "\(message.sender)",
                "arguments": "\((try? message.arguments()).map { BusValueText.text(of: $0) } ?? "unreadable")",
            ])
    }
}
