/// What changes in the air. A device is a controller (`hci0`), a name of the scene, one of a crowd (`phones-17`), or
/// an address. All of these throw ``RadioError/refused(command:reason:)`` if there is no such device, or a value cannot
/// be.
extension LabRadio {
    /// A place, in metres.
    public typealias Place = (x: Double, y: Double)

    /// Moves a device.
    ///
    /// - Parameter span: how long it is on the way. The call returns at once.
    public func move(_ device: String, to place: Place, over span: Duration = .zero) async throws(RadioError) {
        let over = span > .zero ? ["--over", Self.text(span)] : []
        try await change("move", [device, Self.text(place.x), Self.text(place.y)] + over)
    }

    /// Weakens all that a device sends and receives, in dB.
    public func body(_ device: String, decibels: Double) async throws(RadioError) {
        try await change("body", [device, Self.text(decibels)])
    }

    /// Sets how strongly two devices hear each other, in dBm, or with `nil` leaves it to their distance.
    public func rssi(_ first: String, _ second: String, _ strength: Int?) async throws(RadioError) {
        try await change("rssi", [first, second, strength.map(String.init) ?? "auto"])
    }

    /// Loses a part of what two devices send to each other, from 0 to 100 %. Ideal air loses only advertising.
    public func loss(_ first: String, _ second: String, percent: Double) async throws(RadioError) {
        try await change("loss", [first, second, Self.text(percent)])
    }

    /// Lets nothing pass between two devices. A link between them ends after its supervision timeout.
    public func block(_ first: String, _ second: String) async throws(RadioError) {
        try await change("block", [first, second])
    }

    /// Lets pass again what ``block(_:_:)`` has blocked.
    public func unblock(_ first: String, _ second: String) async throws(RadioError) {
        try await change("unblock", [first, second])
    }

    /// Disturbs those around a place with noise, in real air.
    ///
    /// - Parameters:
    ///   - name: for ``unjam(_:)``.
    ///   - power: how strong the noise is at one metre, in dBm.
    ///   - duty: which part of the packets meets it, from 0 to 100 %.
    ///   - span: for how long; `nil` until it is removed.
    public func jam(
        _ name: String, at place: Place, power: Double, duty: Double = 100, for span: Duration? = nil
    ) async throws(RadioError) {
        let noise = ["--power", Self.text(power), "--duty", Self.text(duty)]
        try await jam(name, place, noise, span)
    }

    /// Loses a part, from 0 to 100 %, of what those in a radius, in metres, would receive.
    public func jam(
        _ name: String, at place: Place, radius: Double, loss: Double, for span: Duration? = nil
    ) async throws(RadioError) {
        try await jam(name, place, ["--radius", Self.text(radius), "--loss", Self.text(loss)], span)
    }

    private func jam(
        _ name: String, _ place: Place, _ options: [String], _ span: Duration?
    ) async throws(RadioError) {
        let limit = span.map { ["--for", Self.text($0)] } ?? []
        try await change("jam", [name, Self.text(place.x), Self.text(place.y)] + options + limit)
    }

    /// Removes a jammer.
    public func unjam(_ name: String) async throws(RadioError) { try await change("unjam", [name]) }

    private static func text(_ number: Double) -> String { "\(number)" }

    private static func text(_ span: Duration) -> String {
        let (seconds, attoseconds) = span.components
        return "\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)ms"
    }
}
