/// What the central of a capture did on its links to a device, for another central to do again, and what the device
/// answered.
package struct ReplayPlan: Sendable {
    package internal(set) var links: [Link] = []
    /// What cannot be done again, in sentences.
    package internal(set) var omitted: [ObservedDevice.Remark] = []

    /// A link, from the connection to its end.
    package struct Link: Sendable {
        /// Where it begins.
        package let packet: Int
        package internal(set) var steps: [Step] = []
        /// Seconds from what was last to the end, or to the end of the capture.
        package internal(set) var pauseBeforeEnd = 0.0
        /// Where the device has ended it; nil if it was not the device.
        package internal(set) var endOfDevice: Int?
    }

    package enum Request: Hashable, Sendable {
        case read
        case write([UInt8], hasResponse: Bool)
        case subscribe, unsubscribe
    }

    /// A request, its answer, and what the device sent before the next request.
    package struct Step: Sendable {
        package let request: Request
        package let attribute: ReplayedAttribute
        package let outcome: SessionEvent.Outcome
        /// What a read gave.
        package let value: CapturedValue?
        package let packet: Int
        /// Seconds since what was before: an answer, or something that the device sent.
        package internal(set) var pause: Double
        /// In their order.
        package internal(set) var sent: [SentValue] = []
        /// How long the device may take to send it, in seconds: twice the time that it took, and at least 10 s.
        package internal(set) var limit = Self.usualLimit
        /// Whether the capture has different numbers of answers to this write.
        let isIrregular: Bool
        /// When it was answered, in microseconds.
        let time: Int64

        package static let usualLimit = 10.0

        /// Whether the answers to an earlier write end with it.
        package var endsAnswers: Bool {
            if case .write = request { true } else { false }
        }
    }

    /// A notification or an indication.
    package struct SentValue: Sendable {
        package let attribute: ReplayedAttribute
        /// Nil if the capture has cut it off.
        package let value: CapturedValue?
        package let packet: Int
        /// Whether it answers a write; otherwise the device sends such values by itself.
        package let isAnswer: Bool
        /// Whether it came by a subscription of an earlier link before the central could subscribe on this one: a
        /// program above bluetoothd may miss it.
        package let isEarly: Bool
    }
}

extension ReplayPlan.Link {
    /// Takes out all that is about a service.
    ///
    /// - Parameter uuid: in 4 characters, if it has a short form.
    /// - Returns: how many requests and values that were.
    package mutating func remove(service uuid: String) -> Int {
        var count = 0
        var kept: [ReplayPlan.Step] = []
        var pause = 0.0
        for var step in steps {
            let values = step.sent.count
            step.sent.removeAll { $0.attribute.isIn(service: uuid) }
            count += values - step.sent.count
            guard step.attribute.isIn(service: uuid) else {
                if !kept.isEmpty { step.pause += pause }
                pause = 0
                kept.append(step)
                continue
            }
            count += 1
            pause += step.pause
            if let last = kept.indices.last {
                kept[last].sent += step.sent
                kept[last].limit = max(kept[last].limit, pause + step.limit)
            }
        }
        steps = kept
        return count
    }
}

extension ReplayPlan {
    /// - Parameter isOwnService: as in ``ImportOptions``.
    package init(
        _ device: ObservedDevice,
        isOwnService: (_ uuid: String, _ characteristics: [String], _ identity: [UInt8]?) -> Bool
    ) {
        var maker = ReplayPlanMaker(device, isOwnService)
        maker.make()
        links = maker.links
        omitted = maker.omitted
    }
}
