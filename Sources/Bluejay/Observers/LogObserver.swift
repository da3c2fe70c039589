/// Receives Bluejay's log.
public protocol LogObserver: AnyObject {
    /// One message. May be called on any thread.
    func debug(_ text: String)
}
