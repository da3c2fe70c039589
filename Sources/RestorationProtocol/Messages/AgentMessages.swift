package import Foundation

/// The version of the protocol. A program and an agent of different versions do not talk to each other.
package let agentProtocolVersion = 3

/// The messages of a program to the agent: one packet each, as JSON.
package enum AppMessage: Codable, Hashable, Sendable {
    /// The first message. Answered by ``AgentMessage/welcome(_:)`` or ``AgentMessage/refused(reason:)``.
    case hello(AppRegistration)
    /// The program has begun to connect.
    case connecting(PeripheralRequest)
    /// The program is connected and bluetoothd knows the services.
    case connected(PeripheralRequest)
    /// The connection or the attempt has ended, and the program knows it.
    case released(peripheral: UUID)
    /// Turn notifications on; answered by ``AgentMessage/subscribed(subscription:failure:)``.
    case subscribe(SubscriptionRequest)
    /// Turn them off; answered by ``AgentMessage/unsubscribed(subscription:failure:)``.
    case unsubscribe(subscription: UInt32)
    /// The program scans; nil when it no longer does.
    case scanning(ScanRecord?)
    /// Publish a service; answered by ``AgentMessage/published(service:failure:)``.
    case publish(ServiceRecord, epoch: Int)
    /// Withdraw a service.
    case withdraw(service: UInt32)
    /// Advertise; answered by ``AgentMessage/advertising(failure:)``.
    case advertise(AdvertisementRecord, epoch: Int)
    /// Stop advertising.
    case stopAdvertising
    /// The answer to ``AgentMessage/request(_:)``.
    case respond(CentralAnswer)
    /// Notify values; answered by ``AgentMessage/updated(count:)``.
    case update([ValueUpdate])
    /// The program ends by its own choice: nothing is to be restored.
    case goodbye
}

/// The messages of the agent to a program: one packet each, as JSON.
package enum AgentMessage: Codable, Hashable, Sendable {
    /// The program is registered. The socket with the values comes with this message.
    case welcome(Welcome)
    /// The program is not registered, and nothing else will be answered.
    case refused(reason: String)
    /// Whether notifications are on. If they are, values follow in the socket.
    case subscribed(subscription: UInt32, failure: AgentFailure?)
    /// Whether notifications are off.
    case unsubscribed(subscription: UInt32, failure: AgentFailure?)
    /// The state of the controller that the program publishes on, as the raw value of `CBManagerState`. Nothing is
    /// published any longer.
    case state(Int, epoch: Int)
    /// Whether a service is published.
    case published(service: UInt32, failure: AgentFailure?)
    /// Whether it is advertised.
    case advertising(failure: AgentFailure?)
    /// A central asks for something. The program answers with ``AppMessage/respond(_:)``.
    case request(CentralRequest)
    /// A central has subscribed.
    case centralSubscribed(SubscribedCentral)
    /// A central has unsubscribed or disconnected.
    case centralUnsubscribed(SubscribedCentral)
    /// So many more values are on their way to the centrals, and there is room for as many.
    case updated(count: Int)
}

/// The identity of a program, and how it is started again.
package struct AppRegistration: Codable, Hashable, Sendable {
    /// What the manager with the restore identifier does.
    package enum Role: String, Codable, Sendable {
        case central
        case peripheral
    }

    package var version = agentProtocolVersion
    /// Nil, as records of agents before this one have it, is a central.
    package var role: Role?
    /// The controller to publish on, by name or address; nil leaves the choice to the agent.
    package var adapter: String?
    /// The path of the program's file. With the identifier, it distinguishes one registration from another.
    package var program: String
    /// The restore identifier.
    package var identifier: String
    /// The command and its arguments that start the program again.
    package var command: [String]
    /// The folder to start it in.
    package var folder: String
    /// The environment to start it with, beside the launch options.
    package var environment: [String: String]
    /// Whether the program has lost the agent and not its own state: it will report what it has, and needs nothing
    /// back.
    package var isResuming: Bool

    package init(
        program: String, identifier: String, command: [String], folder: String, environment: [String: String],
        isResuming: Bool = false, role: Role = .central, adapter: String? = nil
    ) {
        self.role = role
        self.adapter = adapter
        self.program = program
        self.identifier = identifier
        self.command = command
        self.folder = folder
        self.environment = environment
        self.isResuming = isResuming
    }
}

/// A peripheral that a program connects to.
package struct PeripheralRequest: Codable, Hashable, Sendable {
    /// As in `CBPeripheral.identifier`, which encodes the address.
    package var peripheral: UUID
    /// The address of the controller.
    package var adapter: String
    /// Whether to connect again after the link was lost.
    package var reconnects: Bool

    package init(peripheral: UUID, adapter: String, reconnects: Bool) {
        self.peripheral = peripheral
        self.adapter = adapter
        self.reconnects = reconnects
    }
}

/// Which characteristic of a peripheral.
package struct CharacteristicKey: Codable, Hashable, Sendable {
    /// UUIDs as bluetoothd writes them: 36 characters in lower case.
    package var service: String
    package var characteristic: String
    /// The end of bluetoothd's object path, `service0010/char0011`. It distinguishes characteristics of the same UUIDs,
    /// and changes when the peripheral has removed the service and added it again.
    package var path: String

    package init(service: String, characteristic: String, path: String) {
        self.service = service
        self.characteristic = characteristic
        self.path = path
    }
}

/// A characteristic whose notifications a program wants.
package struct SubscriptionRequest: Codable, Hashable, Sendable {
    /// Chosen by the program, never twice: it marks the values in the socket.
    package var subscription: UInt32
    package var peripheral: UUID
    package var key: CharacteristicKey
    /// Whether bluetoothd hands the values over by a socket; nil leaves it to the agent.
    package var usesSocket: Bool?

    package init(subscription: UInt32, peripheral: UUID, key: CharacteristicKey, usesSocket: Bool? = nil) {
        self.subscription = subscription
        self.peripheral = peripheral
        self.key = key
        self.usesSocket = usesSocket
    }
}

/// What an earlier run of the program has left.
package struct Welcome: Codable, Hashable, Sendable {
    /// The first number of a subscription that is free.
    package var nextSubscription: UInt32
    /// Empty when there is nothing to restore.
    package var peripherals: [PeripheralRecord]
    /// The scan that was on.
    package var scan: ScanRecord?
    /// For the role of a peripheral only.
    package var publication: Publication?

    package init(
        nextSubscription: UInt32, peripherals: [PeripheralRecord], scan: ScanRecord? = nil,
        publication: Publication? = nil
    ) {
        self.nextSubscription = nextSubscription
        self.peripherals = peripherals
        self.scan = scan
        self.publication = publication
    }
}

/// Why the agent could not do something, in terms of CoreBluetooth's errors.
package struct AgentFailure: Codable, Hashable, Sendable, Error {
    package enum Domain: String, Codable, Sendable {
        /// `CBATTError`
        case att
        /// `CBError`
        case core
    }
    package var domain: Domain
    package var code: Int
    package var text: String

    /// Whether the link was lost: `CBError.notConnected` or `CBError.peripheralDisconnected`.
    package var isLossOfLink: Bool { domain == .core && (code == 3 || code == 7) }

    package init(domain: Domain, code: Int, text: String) {
        self.domain = domain
        self.code = code
        self.text = text
    }
}
