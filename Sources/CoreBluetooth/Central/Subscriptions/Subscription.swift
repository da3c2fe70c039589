import MainLoop

/// A characteristic whose notifications or indications the app wants. Its kinds differ in how the values come.
@LoopActor
protocol Subscription: AnyObject, Swift.Sendable {
    /// Turns notifications on. Values that come before ``isOn()`` are kept until then.
    func start(completion: @escaping Completion<Void>)
    /// Turns notifications off.
    func stop(completion: @escaping Completion<Void>)
    /// The app knows that notifications are on.
    func isOn()
    /// Delivers what the peripheral has sent so far, and nothing after that.
    func end()
    /// The link has ended, and this with it.
    func linkHasEnded()

    /// The app has asked for the value as well.
    func readBegins()
    /// - Parameter value: what the read yielded; nil when it failed.
    func readEnds(with value: Data?)
}

extension Subscription {
    func linkHasEnded() { end() }
    func readBegins() {}
    func readEnds(with value: Data?) {}
}

/// Keeps the values that come before the app knows that notifications are on.
struct EarlyValues {
    private var kept: [Data]? = []

    /// - Returns: what may be delivered now.
    mutating func pass(_ values: [Data]) -> [Data] {
        guard kept != nil else { return values }
        kept?.append(contentsOf: values)
        return []
    }

    /// The app knows that notifications are on.
    ///
    /// - Returns: what was kept.
    mutating func open() -> [Data] {
        defer { kept = nil }
        return kept ?? []
    }
}
