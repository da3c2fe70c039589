import Bluejay

/// Notes when a disconnect handler is asked, and whether Bluejay would connect again; lets it, or not.
final class Handler: DisconnectHandler, Swift.Sendable {
    let calls = Collector<Bool>()
    private let mode: @Sendable () -> AutoReconnectMode

    init(_ mode: @escaping @Sendable () -> AutoReconnectMode = { .noChange }) {
        self.mode = mode
    }

    func didDisconnect(
        from peripheral: PeripheralIdentifier, with error: (any Error)?, willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        calls.add(autoReconnect)
        return mode()
    }
}
