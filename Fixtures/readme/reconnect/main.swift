// Stays with a sensor that disconnects and comes back, and prints what all the observers get.
import Bluejay

let heartRate = ServiceIdentifier(uuid: "180D")
let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)

final class Journal: LogObserver {
    func debug(_ text: String) {
        print("log: \(text)")
    }
}

final class Companion: ConnectionObserver, RSSIObserver, DisconnectHandler {
    let bluejay: Bluejay
    private var connections = 0
    private var hasMeasurement = false

    init(journal: LogObserver) {
        bluejay = Bluejay(logObserver: journal)
    }

    func begin() {
        bluejay.register(connectionObserver: self)
        bluejay.register(rssiObserver: self)
        bluejay.registerDisconnectHandler(handler: self)
        bluejay.broadcastErrorsToListeners = true
        bluejay.start(mode: .new(.default))
        bluejay.scan(
            duration: 30,
            allowDuplicates: true,
            throttleRSSIDelta: 0,
            serviceIdentifiers: [heartRate],
            discovery: { discovery, _ in .connect(discovery, .seconds(15), .default) { _ in } },
            expired: { _, _ in .continue },
            stopped: { discoveries, _ in if discoveries.isEmpty { exit(1) } })
    }

    func bluetoothAvailable(_ available: Bool) {
        print("available: \(available)")
    }

    func connected(to peripheral: PeripheralIdentifier) {
        connections += 1
        hasMeasurement = false
        print("connected, \(connections)")
        bluejay.listen(to: measurement) { [weak self] (beat: ReadResult<Data>) in
            switch beat {
            case .success: self?.received()
            case .failure(let error): print("the listen has ended: \(error.localizedDescription)")
            }
        }
    }

    private func received() {
        guard !hasMeasurement else { return }
        hasMeasurement = true
        print("measured, \(connections)")
        do {
            try bluejay.readRSSI()
        } catch {
            print("no RSSI: \(error.localizedDescription)")
        }
    }

    func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: Error?) {
        print("RSSI read, \(error.map { $0.localizedDescription } ?? "well")")
        if connections == 2 { bluejay.cancelEverything() }
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        print("disconnected")
    }

    func didDisconnect(
        from peripheral: PeripheralIdentifier, with error: Error?, willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        print("will reconnect: \(autoReconnect)")
        if connections < 2 { return .noChange }
        DispatchQueue.main.async { exit(0) }
        return .change(shouldAutoReconnect: false)
    }
}

let journal = Journal()
let companion = Companion(journal: journal)
companion.begin()
dispatchMain()
