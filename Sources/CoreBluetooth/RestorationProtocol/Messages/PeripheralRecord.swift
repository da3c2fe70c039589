import Foundation

/// What a program has with a peripheral: its link, subscriptions and what has changed.
package struct PeripheralRecord: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable {
        case connecting
        case connected
        /// The link was lost, or the attempt given up, and the program does not know it yet.
        case disconnected
    }

    package var identifier: UUID
    /// The address of the controller.
    package var adapter: String
    package var reconnects: Bool
    package var state: State
    package var subscriptions: [SubscriptionRequest] = []
    /// What has changed in its services, and the program does not know yet.
    package var serviceChange: ServiceChangeRecord?

    package init(_ request: PeripheralRequest, state: State) {
        identifier = request.peripheral
        adapter = request.adapter
        reconnects = request.reconnects
        self.state = state
    }
}

/// A change of a peripheral's services.
package struct ServiceChangeRecord: Codable, Hashable, Sendable {
    /// The UUIDs of the services that were removed, 36 characters in lower case. Empty when there are only new ones.
    package var invalidated: [String]

    package init(invalidated: [String]) {
        self.invalidated = invalidated
    }
}
