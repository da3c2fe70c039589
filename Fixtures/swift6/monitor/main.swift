import Bluejay

let heartRate = ServiceIdentifier(uuid: "180D")
let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)

@MainActor
final class Monitor {
    private let bluejay = Bluejay()
    private var count = 0

    func start() {
        bluejay.register(connectionObserver: self)
        bluejay.start()
        bluejay.scan(serviceIdentifiers: [heartRate]) { discovery, _ in
            .connect(discovery, .seconds(15), .default) { [weak self] result in
                if case .failure(let error) = result { self?.say("not connected: \(error)") }
            }
        } stopped: { [weak self] _, error in
            if let error { self?.say("the scan has failed: \(error)") }
        }
    }

    private func measured(_ value: ReadResult<Data>) {
        guard case .success = value else { return }
        count += 1
        say("\(count) measured")
    }

    private func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}

extension Monitor: @preconcurrency ConnectionObserver {
    func connected(to peripheral: PeripheralIdentifier) {
        bluejay.listen(to: measurement, completion: measured)
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        say("disconnected")
    }
}

let monitor = Monitor()
monitor.start()
dispatchMain()
