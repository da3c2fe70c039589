import CoreBluetooth

extension FitnessMachine {
    /// A bike that somebody rides from the start. A client in control can let it hold a power, or stop it.
    final class Model: ServiceModel {
        private let seed: UInt64
        private var rider: Rider
        private var point = ControlPoint(
            FitnessMachine.controlPoint, responseCode: OpCode.response, errors: .common)
        private var isControlled = false
        private var isRunning = true
        private var targetPower: Int16?
        /// Tenths.
        private var resistance = Model.usualResistance
        private static let usualResistance: Int16 = 100
        /// The slope of a simulated road, in percent.
        private var grade = 0.0
        private var distance = 0.0
        /// Kilojoules of work.
        private var work = 0.0
        private var seconds = 0

        init(_ setup: ModelSetup) {
            seed = setup.seed
            rider = Rider(seed: setup.seed)
        }

        // MARK: Values

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            guard uuid == FitnessMachine.indoorBikeData else { return nil }
            guard isRunning else { return bikeData(speed: 0, cadence: 0, power: 0).bytes }
            rider.ride(for: 1, target: targetPower.map(Double.init))
            let power = max(0, rider.power + grade * 15)
            distance += rider.speed
            work += power / 1000
            seconds += 1
            return bikeData(speed: rider.speed * 3.6, cadence: rider.cadence, power: power).bytes
        }

        private func bikeData(speed: Double, cadence: Double, power: Double) -> BikeData {
            BikeData(
                speed: speed, cadence: cadence, distance: UInt32(truncatingIfNeeded: Int64(distance)),
                resistance: resistance / 10, power: Int16(min(power.rounded(), 32_767)),
                energy: UInt16(min(BikeData.kilocalories(forWork: work), 65_535)), elapsed: UInt16(min(seconds, 65_535))
            )
        }

        func value(of uuid: String) -> [UInt8]? {
            uuid == FitnessMachine.trainingStatus ? trainingStatus : nil
        }

        private var trainingStatus: [UInt8] { [0, isRunning ? Training.manualMode : Training.idle] }

        // MARK: Control

        func write(_ request: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError) {
            guard let code = request.first else { throw CBATTError(.invalidAttributeValueLength) }
            try point.begin(client)
            guard Self.opCodes.contains(code) else { return point.respond(to: code, Result.opCodeNotSupported) }
            guard isControlled || code == OpCode.requestControl else {
                return point.respond(to: code, Result.controlNotPermitted)
            }
            perform(code, Array(request.dropFirst()))
        }

        private static let opCodes: [UInt8] = [
            OpCode.requestControl, OpCode.reset, OpCode.setTargetResistance, OpCode.setTargetPower,
            OpCode.startOrResume, OpCode.stopOrPause, OpCode.setSimulation,
        ]

        private func perform(_ code: UInt8, _ parameter: [UInt8]) {
            switch (code, parameter.count) {
            case (OpCode.requestControl, 0):
                isControlled = true
                point.respond(to: code, Result.success)
            case (OpCode.reset, 0):
                reset()
                succeed(code, [Status.reset])
            // In the supplement's form with one byte, and in that of machines with two.
            case (OpCode.setTargetResistance, 1...2) where FitnessMachine.resistances.contains(Self.signed(parameter)):
                resistance = Self.signed(parameter)
                targetPower = nil
                succeed(code, [Status.targetResistanceChanged] + parameter)
            case (OpCode.setTargetPower, 2) where FitnessMachine.powers.contains(Self.signed(parameter)):
                targetPower = Self.signed(parameter)
                succeed(code, [Status.targetPowerChanged] + parameter)
            case (OpCode.startOrResume, 0): run(true, code, [Status.startedOrResumed])
            case (OpCode.stopOrPause, 1) where (1...2).contains(parameter[0]):
                run(false, code, [Status.stoppedOrPaused] + parameter)
            // Wind, grade in hundredths of a percent, rolling and air resistance.
            case (OpCode.setSimulation, 6):
                targetPower = nil
                grade = Double(Self.signed(Array(parameter[2...3]))) / 100
                succeed(code, [Status.simulationChanged] + parameter)
            default: point.respond(to: code, Result.invalidParameter)
            }
        }

        /// A number of two bytes; one byte is a number without a sign.
        private static func signed(_ bytes: [UInt8]) -> Int16 {
            Int16(bitPattern: bytes.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) })
        }

        private func succeed(_ code: UInt8, _ status: [UInt8]) {
            point.respond(to: code, Result.success)
            point.send(status, on: FitnessMachine.status)
        }

        /// Apps start a session that runs already, and stop one that is paused: that is no failure.
        private func run(_ runs: Bool, _ code: UInt8, _ status: [UInt8]) {
            let changes = isRunning != runs
            isRunning = runs
            succeed(code, status)
            guard changes else { return }
            point.send(trainingStatus, on: FitnessMachine.trainingStatus)
        }

        /// The machine is as at its start, and nobody controls it.
        private func reset() {
            rider = Rider(seed: seed)
            (isControlled, isRunning, targetPower, grade) = (false, true, nil, 0)
            resistance = Self.usualResistance
            (distance, work, seconds) = (0, 0, 0)
        }

        func nextMessage() -> ModelMessage? { point.next() }

        func unsubscribed(from uuid: String) {
            guard uuid == FitnessMachine.controlPoint else { return }
            point.cancel()
            isControlled = false
        }
    }
}
