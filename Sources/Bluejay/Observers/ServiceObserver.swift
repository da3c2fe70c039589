/// Is told when the connected peripheral changes its services.
public protocol ServiceObserver: AnyObject {
    /// Bluejay itself neither ends listens of services that are gone nor renews those of services that came back.
    ///
    /// - Parameters:
    ///   - peripheral: which one.
    ///   - invalidatedServices: the services that were removed or moved; empty if services were only added.
    func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier])
}
