// Resets a sensor while its measurements are shown: a background task stops them, writes, and reads the result;
// then they go on.
import Bluejay

let heartRate = ServiceIdentifier(uuid: "180D")
let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)
let sensorLocation = CharacteristicIdentifier(uuid: "2A38", service: heartRate)
let controlPoint = CharacteristicIdentifier(uuid: "2A39", service: heartRate)

final class Screen: ConnectionObserver {
    let bluejay = Bluejay()
    private var hasReset = false
    private var isShowing = false

    func begin() {
        bluejay.register(connectionObserver: self)
        bluejay.start()
        bluejay.scan(
            duration: 30,
            serviceIdentifiers: [heartRate],
            discovery: { discovery, _ in
                .connect(discovery, .seconds(15), .default) { result in
                    if case .failure(let error) = result { Screen.fail(error) }
                }
            },
            stopped: { discoveries, error in
                if let error { Screen.fail(error) }
                if discoveries.isEmpty { exit(1) }
            })
    }

    func connected(to peripheral: PeripheralIdentifier) {
        listen()
    }

    private func listen() {
        isShowing = true
        bluejay.listen(to: measurement, multipleListenOption: .replaceable) { [weak self] (beat: ReadResult<Data>) in
            switch beat {
            case .success: self?.show()
            case .failure(let error): Screen.fail(error)
            }
        }
    }

    private func show() {
        guard isShowing else { return }
        isShowing = false
        if hasReset {
            print("measurements after the reset")
            bluejay.disconnect { _ in exit(0) }
        } else {
            print("measurements before the reset")
            reset()
        }
    }

    private func reset() {
        bluejay.run(
            backgroundTask: { peripheral -> UInt8 in
                try peripheral.endListen(to: measurement)
                try peripheral.write(to: controlPoint, value: UInt8(1))
                do {
                    try peripheral.write(to: controlPoint, value: UInt8(7))
                } catch let error as CBATTError {
                    print("refused: \(error.code.rawValue)")
                }
                return try peripheral.writeAndRead(writeTo: controlPoint, value: UInt8(1), readFrom: sensorLocation)
            },
            completionOnMainThread: { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let location):
                    print("reset; worn at \(location)")
                    print("listening: \((try? self.bluejay.isListening(to: measurement)) ?? true)")
                    self.hasReset = true
                    self.listen()
                case .failure(let error):
                    Screen.fail(error)
                }
            })
    }

    private static func fail(_ error: Error) {
        print("failed: \(error.localizedDescription)")
        exit(1)
    }
}

let screen = Screen()
screen.begin()
dispatchMain()
