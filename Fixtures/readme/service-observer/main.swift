// Listens to a service that is removed and comes back while the connection stays.
import Bluejay

let heartRate = ServiceIdentifier(uuid: "180D")
let chirps = ServiceIdentifier(uuid: "CED261B7-F120-41C8-9A92-A41DE69CF2A8")
let chirp = CharacteristicIdentifier(uuid: "83B4A431-A6F1-4540-B3EE-3C14AEF71A04", service: chirps)

final class Birdwatcher: ConnectionObserver, ServiceObserver {
    let bluejay = Bluejay()
    private var heard = 0

    func begin() {
        bluejay.register(connectionObserver: self)
        bluejay.register(serviceObserver: self)
        bluejay.start()
        bluejay.scan(
            duration: 30,
            serviceIdentifiers: [heartRate],
            discovery: { discovery, _ in .connect(discovery, .seconds(15), .default) { _ in } },
            stopped: { discoveries, _ in if discoveries.isEmpty { exit(1) } })
    }

    func connected(to peripheral: PeripheralIdentifier) {
        print("connected")
        listen()
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        print("disconnected")
        bluejay.unregister(serviceObserver: self)
        exit(0)
    }

    func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier]) {
        if invalidatedServices.contains(chirps) {
            print("the chirp service was removed")
            bluejay.endListen(to: chirp)
        } else if invalidatedServices.isEmpty {
            // It may be the one with the chirps.
            print("a service was added")
            listen()
        }
    }

    private func listen() {
        bluejay.listen(to: chirp, multipleListenOption: .replaceable) { [weak self] (result: ReadResult<String>) in
            switch result {
            case .success(let text):
                print("heard \(text)")
                self?.hear()
            case .failure(BluejayError.multipleListenReplaced):
                break
            case .failure(let error):
                print("no bird: \(error.localizedDescription)")
            }
        }
    }

    private func hear() {
        heard += 1
        if heard == 2 { bluejay.disconnect(immediate: true) }
    }
}

let birdwatcher = Birdwatcher()
birdwatcher.begin()
dispatchMain()
