/// Receives changes of the connected peripheral's services.
public protocol ServiceObserver: AnyObject {
    /// Called once for each change. Before that, the listens to characteristics of removed services end with
    /// ``BluejayError/missingService(_:)``. Bluejay does not renew them: when the services are back, listen again.
    ///
    /// - Parameters:
    ///   - peripheral: the connected peripheral.
    ///   - invalidatedServices: the services that were removed; empty if services were added. A service that moves is
    ///     removed and added, in two changes. If the peripheral has several services with the same UUID and only one of
    ///     them was removed, the UUID is listed, too.
    func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier])
}
