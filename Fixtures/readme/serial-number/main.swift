// Connects to the one device that has a certain serial number, which no advertisement shows: connects to each device
// that is found and reads its number. Devices with another number are then ignored.
// usage: serial-number NUMBER [SECONDS-OF-A-SCAN]
import Bluejay

let meter = ServiceIdentifier(uuid: "5E710000-0000-4000-8000-000000000000")
let reading = CharacteristicIdentifier(uuid: "5E710001-0000-4000-8000-000000000000", service: meter)
let serialNumber = CharacteristicIdentifier(uuid: "2A25", service: ServiceIdentifier(uuid: "180A"))

final class Search {
    let bluejay = Bluejay()
    let wanted: String
    let duration: TimeInterval
    private var others: [PeripheralIdentifier] = []

    init(for number: String, duration: TimeInterval) {
        wanted = number
        self.duration = duration
    }

    func begin() {
        bluejay.start()
        scan()
    }

    private func scan() {
        print("scanning")
        bluejay.scan(
            duration: duration,
            serviceIdentifiers: [meter],
            discovery: { [weak self] discovery, _ in
                guard let self else { return .stop }
                if self.others.contains(discovery.peripheralIdentifier) {
                    print("known already")
                    return .blacklist
                }
                return .connect(discovery, .seconds(15), .default) { [weak self] result in
                    switch result {
                    case .success(let peripheral): self?.ask(peripheral)
                    case .failure(let error): self?.fail(error)
                    }
                }
            },
            stopped: { [weak self] discoveries, error in
                if let error { self?.fail(error) }
                guard let self, discoveries.allSatisfy({ self.others.contains($0.peripheralIdentifier) }) else {
                    return
                }
                print("there is no \(self.wanted)")
                exit(3)
            })
    }

    private func ask(_ peripheral: PeripheralIdentifier) {
        bluejay.read(from: serialNumber) { [weak self] (result: ReadResult<String>) in
            guard let self else { return }
            switch result {
            case .success(self.wanted):
                print("found \(self.wanted)")
                self.use()
            case .success(let other):
                print("this is \(other)")
                self.others.append(peripheral)
                self.bluejay.disconnect { [weak self] result in
                    if case .failure(let error) = result { self?.fail(error) }
                    self?.scan()
                }
            case .failure(let error):
                self.fail(error)
            }
        }
    }

    private func use() {
        bluejay.read(from: reading) { [weak self] (result: ReadResult<UInt32>) in
            switch result {
            case .success(let value):
                print("reading: \(value)")
                self?.bluejay.disconnect { _ in exit(0) }
            case .failure(let error):
                self?.fail(error)
            }
        }
    }

    private func fail(_ error: Error) {
        print("failed: \(error.localizedDescription)")
        exit(1)
    }
}

let arguments = CommandLine.arguments.dropFirst()
let search = Search(for: arguments.first ?? "", duration: arguments.dropFirst().first.flatMap(TimeInterval.init) ?? 15)
search.begin()
dispatchMain()
