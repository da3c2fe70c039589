import GATTProfiles

extension Glucose {
    /// A request to Record Access Control Point. Specification: Glucose Service 1.0.
    struct RecordAccess: Hashable {
        enum OpCode {
            static let reportRecords: UInt8 = 1
            static let deleteRecords: UInt8 = 2
            static let abort: UInt8 = 3
            static let reportNumber: UInt8 = 4
            static let numberResponse: UInt8 = 5
            static let response: UInt8 = 6
        }

        enum Result {
            static let success: UInt8 = 1
            static let opCodeNotSupported: UInt8 = 2
            static let invalidOperator: UInt8 = 3
            static let operatorNotSupported: UInt8 = 4
            static let invalidOperand: UInt8 = 5
            static let noRecordsFound: UInt8 = 6
            static let operandNotSupported: UInt8 = 9
        }

        /// Which records are meant.
        enum Selection: Hashable {
            case all
            case first
            case last
            case sequenceNumbers(ClosedRange<Int>)
            /// By the time that the user sees, in seconds since the beginning of 1970.
            case times(ClosedRange<Int>)

            func choose(from records: [Record]) -> [Record] {
                switch self {
                case .all: records
                case .first: Array(records.prefix(1))
                case .last: Array(records.suffix(1))
                case .sequenceNumbers(let range):
                    records.filter { range.contains(Int($0.measurement.sequenceNumber)) }
                case .times(let range):
                    records.filter { record in record.measurement.userFacingTime.map(range.contains) ?? false }
                }
            }
        }

        /// Why a request has no meaning: the result in the response.
        struct Refusal: Error, Hashable {
            let result: UInt8
        }

        /// The operators by their numbers.
        private enum Operator: UInt8 {
            case null = 0
            case all
            case upTo
            case from
            case within
            case first
            case last
        }

        /// Which records an operator and its operand mean.
        static func selection(_ request: some Collection<UInt8>) throws(Refusal) -> Selection {
            guard let code = request.first, code > 0 else { throw Refusal(result: Result.invalidOperator) }
            guard let kind = Operator(rawValue: code) else { throw Refusal(result: Result.operatorNotSupported) }
            let operand = Array(request.dropFirst())
            switch kind {
            case .upTo, .from, .within: return try filtered(kind, operand)
            case .null, .all, .first, .last:
                guard operand.isEmpty else { throw Refusal(result: Result.invalidOperand) }
                return kind == .first ? .first : kind == .last ? .last : .all
            }
        }

        /// The filter type, and one value or two: sequence numbers (1) or times (2).
        private static func filtered(_ kind: Operator, _ operand: [UInt8]) throws(Refusal) -> Selection {
            guard let type = operand.first else { throw Refusal(result: Result.invalidOperand) }
            guard type == 1 || type == 2 else { throw Refusal(result: Result.operandNotSupported) }
            let (width, count) = (type == 1 ? 2 : 7, kind == .within ? 2 : 1)
            let content = Array(operand.dropFirst())
            guard content.count == width * count else { throw Refusal(result: Result.invalidOperand) }
            var limits: [Int] = []
            for start in stride(from: 0, to: content.count, by: width) {
                let bytes = content[start..<start + width]
                let limit =
                    type == 1
                    ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : DateTime(bytes: bytes)?.secondsSince1970
                guard let limit else { throw Refusal(result: Result.invalidOperand) }
                limits.append(limit)
            }
            let low = kind == .upTo ? Int.min : limits[0]
            let high = kind == .from ? Int.max : limits[limits.count - 1]
            guard low <= high else { throw Refusal(result: Result.invalidOperand) }
            return type == 1 ? .sequenceNumbers(low...high) : .times(low...high)
        }
    }

    /// A measurement that is kept.
    struct Record: Hashable {
        var measurement: Measurement
        var context: Context?
    }
}
