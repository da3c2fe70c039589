package import DBus
package import Foundation
package import MainLoop

/// A characteristic of a ``LocalService``.
@LoopActor
package final class LocalCharacteristic {
    /// The 128-bit UUID, or a short one.
    package let uuid: String
    /// What centrals can do with it, and what that takes.
    package let flags: AttributeFlags
    package let descriptors: [LocalDescriptor]

    /// Answers reads. If nil, they are refused.
    package var onRead: (@LoopActor (LocalRequest) -> Void)?
    /// Takes writes. If nil, they are refused.
    package var onWrite: (@LoopActor (LocalRequest) -> Void)?
    /// Called when a central subscribes, with what bluetoothd reports of it; nil where it reports nothing. Where it has
    /// one socket for all (5.66) it reports only the first.
    package var onSubscribe: (@LoopActor (RequestContext?) -> Void)?
    /// Called when a central has unsubscribed or disconnected while others have sockets of their own, with that
    /// central; and with nil when the last one has.
    package var onUnsubscribe: (@LoopActor (ObjectPath?) -> Void)?
    /// Called when there is room again after ``notify(_:)`` has returned false.
    package var onReadyToNotify: (@LoopActor () -> Void)?
    /// Called when a central has confirmed an indication.
    package var onConfirm: (@LoopActor () -> Void)?

    private var channel: NotificationChannel?
    /// Connected centrals that have no socket, where each should have one. While there are any, signals carry
    /// everything: they reach all subscribers, also those with a socket.
    private var centralsWithoutSocket: Set<ObjectPath> = []
    private var openSignals: (@LoopActor () -> NotificationChannel?)?
    private let offersNotifySocket: Bool

    /// - Parameter offersNotifySocket: whether notifications may go over a socket, which has back-pressure and costs
    ///   bluetoothd a quarter of what signals on the bus do.
    package init(
        uuid: String, flags: AttributeFlags, descriptors: [LocalDescriptor] = [], offersNotifySocket: Bool = true
    ) {
        self.uuid = uuid
        self.flags = flags
        self.descriptors = descriptors
        self.offersNotifySocket = offersNotifySocket
    }

    /// Whether a central is subscribed.
    package var isSubscribed: Bool { channel != nil }
    /// Whether bluetoothd has a socket for them.
    package var hasSocket: Bool { channel?.isSocket == true }

    /// Sends a notification, or an indication where the central asked for that, to all that subscribed.
    ///
    /// - Returns: false when it was not sent because there is no room; ``onReadyToNotify`` is called when there is.
    ///   Without subscribers nothing is sent and the answer is true.
    package func notify(_ value: Data) -> Bool {
        guard let channel else { return true }
        return channel.send(value)
    }

    /// Whether bluetoothd has not read everything yet that went over a socket.
    package var hasUnreadNotifications: Bool { channel?.hasUnread ?? false }

    /// Notifies a central that is back and whose subscription bluetoothd has kept, though it may have no socket for it.
    ///
    /// - Parameter central: nil where bluetoothd has one socket for all.
    package func resumeNotifying(_ central: ObjectPath?) {
        removeEndedSockets()
        if let sockets = channel as? SocketChannel {
            guard let central, !sockets.serves(central) else { return }
            centralsWithoutSocket.insert(central)
            sockets.drain { [weak self, weak sockets] in
                if let self, let sockets, channel === sockets { replaceWithSignals(sockets) }
            }
        } else {
            // Signals that bluetoothd has asked for end when it says so.
            guard channel == nil || !centralsWithoutSocket.isEmpty else { return }
            if channel == nil { openSignalChannel() }
            if let central { centralsWithoutSocket.insert(central) }
        }
    }

    /// Takes note of the sockets that bluetoothd has closed, of which the report may be still to come.
    package func removeEndedSockets() { (channel as? SocketChannel)?.removeEnded() }

    /// The sockets are closed, for bluetoothd would ask for none again that it has already.
    private func replaceWithSignals(_ sockets: SocketChannel) {
        if !centralsWithoutSocket.isEmpty {
            centralsWithoutSocket.formUnion(sockets.centrals)
            sockets.close()
            openSignalChannel()
        } else if sockets.isEmpty {
            return stopNotify()
        }
        onReadyToNotify?()
    }

    /// A central has disconnected. When all are gone for whom signals were needed, bluetoothd may have sockets again.
    package func disconnected(_ central: ObjectPath) {
        guard centralsWithoutSocket.remove(central) != nil, centralsWithoutSocket.isEmpty,
            channel is SignalChannel
        else { return }
        channel?.close()
        channel = nil
    }

    private func openSignalChannel() { channel = openSignals.flatMap { $0() } }

    // MARK: On the bus

    func export(on connection: BusConnection, at path: ObjectPath, of service: ObjectPath) throws(BusError) {
        let uuid = uuid
        let flags = flags
        var properties = [
            ExportedProperty(GattCharacteristic1.uuid, get: { uuid }),
            ExportedProperty(GattCharacteristic1.service, get: { service }),
            ExportedProperty(GattCharacteristic1.flags, get: { flags }),
        ]
        if flags.allowSubscribing {
            properties.append(
                ExportedProperty(GattCharacteristic1.notifying, get: { [weak self] in self?.isSubscribed ?? false }))
            if offersNotifySocket {
                properties.append(
                    ExportedProperty(
                        GattCharacteristic1.notifyAcquired, get: { [weak self] in self?.channel?.isSocket ?? false }))
            }
        }
        openSignals = { [weak self, weak connection] in
            connection.map { SignalChannel($0, path: path) { self?.onReadyToNotify?() } }
        }
        let interface = ExportedInterface(
            GattCharacteristic1.self,
            methods: [
                .read(GattCharacteristic1.readValue) { [weak self] in self?.onRead },
                .write(GattCharacteristic1.writeValue) { [weak self] in self?.onWrite },
                ExportedMethod(
                    GattCharacteristic1.acquireNotify, inputs: [ExportedArgument("options", [String: BusValue].self)],
                    outputs: [
                        ExportedArgument("socket", BusFileDescriptor.self), ExportedArgument("mtu", UInt16.self),
                    ]
                ) { [weak self, weak connection] invocation in
                    if let self, let connection { acquireNotify(invocation, on: connection, at: path) }
                },
                ExportedMethod(GattCharacteristic1.startNotify) { [weak self] invocation in
                    self?.startNotify()
                    invocation.reply()
                },
                ExportedMethod(GattCharacteristic1.stopNotify) { [weak self] invocation in
                    self?.stopNotify()
                    invocation.reply()
                },
                ExportedMethod(GattCharacteristic1.confirm) { [weak self] invocation in
                    self?.onConfirm?()
                    invocation.reply()
                },
            ], properties: properties)
        try connection.export([interface], at: path)
        for (index, descriptor) in descriptors.enumerated() {
            try descriptor.export(on: connection, at: path.appending("descriptor\(index)"), of: path)
        }
    }

    func unexport(from connection: BusConnection, at path: ObjectPath) {
        for index in descriptors.indices { connection.unexport(path.appending("descriptor\(index)")) }
        connection.unexport(path)
        openSignals = nil
        stopNotify()
    }

    // MARK: Subscriptions

    private func acquireNotify(_ invocation: MethodInvocation, on connection: BusConnection, at path: ObjectPath) {
        guard offersNotifySocket, flags.allowSubscribing else {
            return invocation.fail(MethodFailure(.notSupported, "no socket here"))
        }
        do {
            let context = RequestContext(try invocation.argument(0))
            guard centralsWithoutSocket.isEmpty else {
                // bluetoothd calls StartNotify instead.
                invocation.fail(MethodFailure(.notSupported, "notifications are signals for now"))
                centralsWithoutSocket.insert(context.device)
                onSubscribe?(context)
                return
            }
            let (local, remote) = try PacketSocket.pair(mtu: context.mtu)
            (channel as? SocketChannel)?.makeWay(for: context.device)
            let sockets = channel as? SocketChannel ?? openSockets(on: connection, at: path)
            sockets.add(local, for: context.device)
            invocation.reply([.fileDescriptor(remote), .uint16(UInt16(clamping: context.mtu))])
            onSubscribe?(context)
        } catch {
            invocation.fail(MethodFailure(.failed, "\(error)"))
        }
    }

    private func openSockets(on connection: BusConnection, at path: ObjectPath) -> SocketChannel {
        stopNotify()
        let sockets = SocketChannel(
            connection, path: path, onReady: { [weak self] in self?.onReadyToNotify?() },
            onEnd: { [weak self] in self?.ended(for: $0) })
        channel = sockets
        return sockets
    }

    private func ended(for central: ObjectPath) {
        guard let sockets = channel as? SocketChannel, !sockets.isEmpty || sockets.isDraining else {
            return stopNotify()
        }
        onUnsubscribe?(central)
        // It may have been the one without room.
        onReadyToNotify?()
    }

    private func startNotify() {
        // bluetoothd calls once for each central that subscribes, and does not say for which.
        guard channel == nil else { return }
        openSignalChannel()
        onSubscribe?(nil)
    }

    private func stopNotify() {
        guard let channel else { return }
        self.channel = nil
        centralsWithoutSocket = []
        channel.close()
        onUnsubscribe?(nil)
    }
}

/// A descriptor of a ``LocalCharacteristic``.
@LoopActor
package final class LocalDescriptor {
    package let uuid: String
    package let flags: AttributeFlags
    package var onRead: (@LoopActor (LocalRequest) -> Void)?
    package var onWrite: (@LoopActor (LocalRequest) -> Void)?

    package init(uuid: String, flags: AttributeFlags) {
        self.uuid = uuid
        self.flags = flags
    }

    func export(on connection: BusConnection, at path: ObjectPath, of characteristic: ObjectPath) throws(BusError) {
        let uuid = uuid
        let flags = flags
        let interface = ExportedInterface(
            GattDescriptor1.self,
            methods: [
                .read(GattDescriptor1.readValue) { [weak self] in self?.onRead },
                .write(GattDescriptor1.writeValue) { [weak self] in self?.onWrite },
            ],
            properties: [
                ExportedProperty(GattDescriptor1.uuid, get: { uuid }),
                ExportedProperty(GattDescriptor1.characteristic, get: { characteristic }),
                ExportedProperty(GattDescriptor1.flags, get: { flags }),
            ])
        try connection.export([interface], at: path)
    }
}

extension ExportedMethod {
    fileprivate static func read<Interface>(
        _ method: InterfaceMethod<Interface>,
        _ handler: @escaping @LoopActor () -> (@LoopActor (LocalRequest) -> Void)?
    ) -> ExportedMethod {
        ExportedMethod(
            method, inputs: [ExportedArgument("options", [String: BusValue].self)],
            outputs: [ExportedArgument("value", Data.self)]
        ) { invocation in
            guard let options = try? invocation.argument(0, as: [String: BusValue].self) else { return }
            let request = LocalRequest(invocation, options: options)
            if let handler = handler() { handler(request) } else { request.fail(attError: 0x02) }
        }
    }

    fileprivate static func write<Interface>(
        _ method: InterfaceMethod<Interface>,
        _ handler: @escaping @LoopActor () -> (@LoopActor (LocalRequest) -> Void)?
    ) -> ExportedMethod {
        ExportedMethod(
            method,
            inputs: [ExportedArgument("value", Data.self), ExportedArgument("options", [String: BusValue].self)]
        ) { invocation in
            guard let value = try? invocation.argument(0, as: Data.self),
                let options = try? invocation.argument(1, as: [String: BusValue].self)
            else { return }
            let request = LocalRequest(invocation, value: value, options: options)
            if let handler = handler() { handler(request) } else { request.fail(attError: 0x03) }
        }
    }
}
