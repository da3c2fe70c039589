/// What a device advertises, as it was received.
package struct HeardAdvertising: Sendable {
    /// The newest packets.
    package internal(set) var data: [UInt8] = []
    package internal(set) var response: [UInt8] = []
    /// Of advertisements, without scan responses.
    package private(set) var count = 0
    /// Where the first one is.
    package private(set) var first: PacketMark?
    private var last: Int64 = 0
    /// Between advertisements, in microseconds.
    private var pauses: [Int64] = []
    private var strengthCount = 0
    private var strengthSum = 0

    /// More would say nothing else.
    private static let maximumPauses = 64
    /// What follows sooner is the same advertisement on another channel: an interval has 20 ms or more.
    private static let minimumPause: Int64 = 15_000

    mutating func add(_ bytes: ArraySlice<UInt8>, isScanResponse: Bool, _ reception: Reception, at mark: PacketMark) {
        first = first ?? mark
        if let strength = reception.strength {
            strengthCount += 1
            strengthSum += strength
        }
        if isScanResponse { return response = Array(bytes) }
        data = Array(bytes)
        let pause = mark.time - last
        guard count == 0 || pause >= Self.minimumPause else { return }
        if count > 0, pauses.count < Self.maximumPauses { pauses.append(pause) }
        count += 1
        last = mark.time
    }

    package var isEmpty: Bool { first == nil }

    /// The mean, in dBm; nil if it is not known.
    package var strength: Int? { strengthCount == 0 ? nil : strengthSum / strengthCount }

    /// How often it advertises, in seconds: the usual time between two advertisements, as some are missed. Nil if there
    /// was only one.
    package var interval: Double? {
        pauses.isEmpty ? nil : Double(pauses.sorted()[pauses.count / 2]) / 1_000_000
    }
}
