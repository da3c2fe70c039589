extension Bluejay {
    /// Registers a connection observer. After the start, the observer is called at once, on the calling thread, with
    /// whether Bluetooth is available and with the connected peripheral, if any.
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

    /// Registers an observer of the results of ``readRSSI()``.
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

    /// Registers an observer of the log. Without one, messages go to standard error.
    public func register(logObserver: LogObserver) {
        log.register(logObserver)
    }

    /// Removes a log observer.
    public func unregister(logObserver: LogObserver) {
        log.unregister(logObserver)
    }

    /// Sets the handler that decides whether to reconnect. It replaces an earlier one.
    public func registerDisconnectHandler(handler: DisconnectHandler) {
        MainQueue.sync { disconnectHandler = handler }
    }

    /// Removes the disconnect handler.
    public func unregisterDisconnectHandler() {
        MainQueue.sync { disconnectHandler = nil }
    }

    /// Calls all connection observers, in the order of their registration.
    func notify(_ report: (any ConnectionObserver) -> Void) {
        for observer in connectionObservers.living { report(observer) }
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
