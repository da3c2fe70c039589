extension Bluejay {
    /// Registers a connection observer. Once started, it is told at once, on the calling thread, whether Bluetooth is
    /// available, and which peripheral is connected, if any.
    public func register(connectionObserver: ConnectionObserver) {
        let (isAvailable, peripheral): (Bool?, PeripheralIdentifier?) = MainQueue.sync {
            connectionObservers.register(connectionObserver)
            guard let central else { return (nil, nil) }
            return (central.state == .poweredOn, link.isDisconnecting ? nil : connected?.identifier)
        }
        if let isAvailable { connectionObserver.bluetoothAvailable(isAvailable) }
        if let peripheral { connectionObserver.connected(to: peripheral) }
    }

    /// Removes a connection observer.
    public func unregister(connectionObserver: ConnectionObserver) {
        MainQueue.sync { connectionObservers.unregister(connectionObserver) }
    }

    /// Registers an observer of what ``readRSSI()`` finds.
    public func register(rssiObserver: RSSIObserver) {
        MainQueue.sync { rssiObservers.register(rssiObserver) }
    }

    /// Removes an RSSI observer.
    public func unregister(rssiObserver: RSSIObserver) {
        MainQueue.sync { rssiObservers.unregister(rssiObserver) }
    }

    /// Registers an observer of changes to the peripheral's services.
    public func register(serviceObserver: ServiceObserver) {
        MainQueue.sync { serviceObservers.register(serviceObserver) }
    }

    /// Removes a service observer.
    public func unregister(serviceObserver: ServiceObserver) {
        MainQueue.sync { serviceObservers.unregister(serviceObserver) }
    }

    /// Registers an observer of the log. While there is none, messages go to standard error.
    public func register(logObserver: LogObserver) {
        log.register(logObserver)
    }

    /// Removes a log observer.
    public func unregister(logObserver: LogObserver) {
        log.unregister(logObserver)
    }

    /// Sets who decides about connecting again. There is one such handler; it replaces the one before.
    public func registerDisconnectHandler(handler: DisconnectHandler) {
        MainQueue.sync { disconnectHandler = handler }
    }

    /// Removes the disconnect handler.
    public func unregisterDisconnectHandler() {
        MainQueue.sync { disconnectHandler = nil }
    }

    /// Tells all connection observers something.
    func notify(_ tell: (any ConnectionObserver) -> Void) {
        for observer in connectionObservers.living { tell(observer) }
    }
}

// The names of Bluejay 0.7.
extension Bluejay {
    /// Registers a connection observer.
    @available(*, deprecated, renamed: "register(connectionObserver:)")
    public func register(observer: ConnectionObserver) {
        register(connectionObserver: observer)
    }

    /// Removes a connection observer.
    @available(*, deprecated, renamed: "unregister(connectionObserver:)")
    public func unregister(observer: ConnectionObserver) {
        unregister(connectionObserver: observer)
    }
}
