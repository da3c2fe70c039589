import CoreBluetooth
import GATTProfiles

extension Glucose {
    /// A meter that has measured for some days, and measures again every five minutes. It reports its records only when
    /// it is asked for them.
    final class Model: ServiceModel {
        /// The oldest records make room for new ones.
        static let maximumCount = 50
        private static let firstCount = 12
        /// Seconds between a record and the next.
        private static let pace = 0.02
        private static let measuringInterval = 300.0

        private let clock: DeviceClock
        private var generator: SeededGenerator
        private var level = WanderingQuantity(70...190, step: 14, first: 105)
        private(set) var records: [Record] = []
        private var count: UInt16 = 0
        private var lastMeasured: Double
        private var point = ControlPoint(
            Glucose.recordAccess, responseCode: RecordAccess.OpCode.response, errors: .application)

        init(_ setup: ModelSetup) {
            clock = setup.clock
            generator = SeededGenerator(seed: setup.seed)
            lastMeasured = clock.now()
            for index in 0..<Self.firstCount {
                measure(at: lastMeasured - Double(Self.firstCount - index) * 5 * 3600)
            }
        }

        private func measure(at time: Double) {
            count &+= 1
            // The level is in mg/dl.
            var record = Record(
                measurement: Measurement(
                    sequenceNumber: count, baseTime: DateTime(secondsSince1970: Int(time)),
                    // The clock was moved when the meter travelled.
                    timeOffset: count % 5 == 0 ? 60 : nil, concentration: level.next(&generator).rounded() / 1e5,
                    status: count % 8 == 0 ? 1 : nil))
            if generator.unit() < 0.4 {
                record.measurement.hasContext = true
                record.context = Context(
                    sequenceNumber: count,
                    carbohydrate: .init(
                        kind: UInt8(1 + Int(generator.unit() * 3)), mass: (30 + generator.unit() * 60).rounded() / 1000),
                    meal: Context.Meal.allCases[Int(generator.unit() * 3)])
            }
            records = records.suffix(Self.maximumCount - 1) + [record]
        }

        private func measureUntilNow() {
            let due = Int((clock.now() - lastMeasured) / Self.measuringInterval)
            guard due > 0 else { return }
            for _ in 0..<min(due, Self.maximumCount) { measure(at: clock.now()) }
            lastMeasured += Double(due) * Self.measuringInterval
        }

        // MARK: Record access

        func write(_ request: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError) {
            guard let code = request.first else { throw CBATTError(.invalidAttributeValueLength) }
            let needed = code == RecordAccess.OpCode.reportRecords ? [Glucose.measurement] : []
            try point.begin(client, others: needed, interrupts: code == RecordAccess.OpCode.abort)
            measureUntilNow()
            do throws(RecordAccess.Refusal) {
                try perform(code, request.dropFirst())
            } catch {
                respond(to: code, error.result)
            }
        }

        private func perform(_ code: UInt8, _ rest: ArraySlice<UInt8>) throws(RecordAccess.Refusal) {
            switch code {
            case RecordAccess.OpCode.reportRecords:
                let chosen = try found(RecordAccess.selection(rest))
                for record in chosen {
                    point.send(record.measurement.bytes, on: Glucose.measurement, after: Self.pace)
                    guard let context = record.context else { continue }
                    point.send(context.bytes, on: Glucose.measurementContext, after: Self.pace)
                }
                respond(to: code, RecordAccess.Result.success, after: Self.pace)
            case RecordAccess.OpCode.deleteRecords:
                let chosen = Set(try found(RecordAccess.selection(rest)))
                records.removeAll { chosen.contains($0) }
                respond(to: code, RecordAccess.Result.success)
            case RecordAccess.OpCode.abort:
                guard rest.elementsEqual([0]) else {
                    throw RecordAccess.Refusal(result: RecordAccess.Result.invalidOperator)
                }
                respond(to: code, RecordAccess.Result.success)
            case RecordAccess.OpCode.reportNumber:
                let number = UInt16(try RecordAccess.selection(rest).choose(from: records).count)
                point.send(
                    [RecordAccess.OpCode.numberResponse, 0] + NumberType.bytes(of: number), on: Glucose.recordAccess)
            default: throw RecordAccess.Refusal(result: RecordAccess.Result.opCodeNotSupported)
            }
        }

        private func found(_ selection: RecordAccess.Selection) throws(RecordAccess.Refusal) -> [Record] {
            let chosen = selection.choose(from: records)
            guard !chosen.isEmpty else {
                throw RecordAccess.Refusal(result: RecordAccess.Result.noRecordsFound)
            }
            return chosen
        }

        /// The operator of a response is null.
        private func respond(to code: UInt8, _ result: UInt8, after pause: Double = 0) {
            point.send([RecordAccess.OpCode.response, 0, code, result], on: Glucose.recordAccess, after: pause)
        }

        func nextMessage() -> ModelMessage? { point.next() }

        func unsubscribed(from uuid: String) {
            if uuid == Glucose.recordAccess { point.cancel() }
        }
    }
}
