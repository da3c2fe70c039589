package import RestorationProtocol

/// The services and the advertisement of one program on a controller. Used on the agent's queue only, and calls back
/// there.
package protocol Publisher: AnyObject {
    /// Gets reports of what happens.
    var observer: (any PublisherObserver)? { get set }
    /// The raw value of `CBManagerState`; 0 while it is not known. Whenever it changes, nothing is published any
    /// longer.
    var state: Int { get }
    /// Counts the states.
    var epoch: Int { get }
    /// Who is subscribed to what.
    var subscriptions: [SubscribedCentral] { get }

    /// Publishes a service.
    ///
    /// - Parameter completion: called once, with what was wrong.
    func publish(_ service: ServiceRecord, completion: @escaping (AgentFailure?) -> Void)
    func withdraw(_ service: UInt32)
    /// Advertises.
    ///
    /// - Parameter completion: called once, with what was wrong.
    func advertise(_ advertisement: AdvertisementRecord, completion: @escaping (AgentFailure?) -> Void)
    func stopAdvertising()
    /// Answers a request, if it still waits.
    func respond(_ answer: CentralAnswer)
    /// Notifies a value, or indicates it.
    ///
    /// - Returns: false when there is no room; ``PublisherObserver/isReady(_:)`` is called when there is.
    func update(_ update: ValueUpdate) -> Bool
    /// Withdraws everything.
    func stop()
}

/// What happens to what a program has published.
package protocol PublisherObserver: AnyObject {
    func stateChanged(_ publisher: any Publisher)
    func received(_ request: CentralRequest, _ publisher: any Publisher)
    func subscribed(_ central: SubscribedCentral, _ publisher: any Publisher)
    func unsubscribed(_ central: SubscribedCentral, _ publisher: any Publisher)
    func isReady(_ publisher: any Publisher)
}
