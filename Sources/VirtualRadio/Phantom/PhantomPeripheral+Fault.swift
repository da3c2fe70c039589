extension PhantomPeripheral {
    /// Something that goes wrong with a phantom, on purpose. It is what a fault of dittojay is, with fewer actions, but
    /// each request of ATT as a trigger.
    public struct Fault: Sendable, Equatable {
        /// The occasion of a fault.
        public enum Trigger: Sendable, Equatable {
            /// A request with this opcode, but no write of a Client Characteristic Configuration. (Core Specification,
            /// Vol 3 Part F, 3.4.8)
            case request(UInt8)
            /// A central subscribes.
            case subscribe
            /// While a central is connected, each time that this many nanoseconds have passed.
            case every(Int)
        }

        /// What happens.
        public enum Action: Sendable, Equatable {
            /// The request is never answered.
            case noAnswer
            /// The request is refused with this ATT error.
            case error(UInt8)
            /// The central's connection is ended.
            case disconnect
            /// This is sent, a packet of ATT or not: instead of the answer, or unsolicited.
            case packet([UInt8])
        }

        public var trigger: Trigger
        public var action: Action
        /// How many occasions pass first.
        public var skip: Int
        /// It happens on each one of so many further occasions: the third, the sixth, … if 3.
        public var nth: Int
        /// How often it happens; each time if nil.
        public var times: Int?
        /// With which probability it happens on each further occasion, in percent, by the radio's seed.
        public var chance: Double

        public init(
            on trigger: Trigger, _ action: Action, skip: Int = 0, nth: Int = 1, times: Int? = nil,
            chance: Double = 100
        ) {
            self.trigger = trigger
            self.action = action
            self.skip = skip
            self.nth = max(nth, 1)
            self.times = times
            self.chance = chance
        }
    }
}
