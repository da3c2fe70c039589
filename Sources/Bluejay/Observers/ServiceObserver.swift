/// Is told when the connected peripheral changes its services.
public protocol ServiceObserver: AnyObject {
    /// Called once for each change. Listens to characteristics of the services that are gone have ended by then, with
    /// ``BluejayError/missingService(_:)``. Bluejay does not renew them: when the services have come back, listen again.
    ///
    /// - Parameters:
    ///   - peripheral: which one.
    ///   - invalidatedServices: the services that were removed; empty if services came. A service that has moved goes and
    ///     comes, in two changes. Where the peripheral has several with the same UUID, it is named though others are left.
    func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier])
}
