/// Receives Bluejay's log.
public protocol LogObserver: AnyObject {
    /// Receives one message. Called on any thread.
    func debug(_ text: String)
}
