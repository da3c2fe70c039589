// Orders a coffee: a value of several fields is written, and read back; then the machine reports its progress.
import Bluejay

enum CupSize: UInt8 {
    case small = 1
    case medium = 2
    case large = 3
}

/// An order as the machine takes it: six bytes, the water in big-endian, the last byte reserved.
struct Coffee: Sendable, Receivable, Equatable {
    let size: CupSize
    /// In thousandths of a litre.
    let water: UInt16
    /// In tenths of a degree Celsius, in the machine's order of bytes.
    let temperature: UInt16

    init(size: CupSize, water: UInt16, temperature: UInt16) {
        self.size = size
        self.water = water
        self.temperature = temperature
    }

    func toBluetoothData() -> Data {
        Bluejay.combine(sendables: [size.rawValue, water.bigEndian, temperature, DataPadding(1)])
    }

    init(bluetoothData: Data) throws {
        let code: UInt8 = try bluetoothData.extract(start: 0, length: 1)
        guard let size = CupSize(rawValue: code) else { throw OrderError.unknownSize(code) }
        self.size = size
        water = UInt16(bigEndian: try bluetoothData.extract(start: 1, length: 2))
        temperature = try bluetoothData.extract(start: 3, length: 2)
    }
}

enum OrderError: Error {
    case unknownSize(UInt8)
}

let machine = ServiceIdentifier(uuid: "C0FFEE00-0000-4000-8000-000000000000")
let order = CharacteristicIdentifier(uuid: "C0FFEE01-0000-4000-8000-000000000000", service: machine)
let start = CharacteristicIdentifier(uuid: "C0FFEE02-0000-4000-8000-000000000000", service: machine)
let progress = CharacteristicIdentifier(uuid: "C0FFEE03-0000-4000-8000-000000000000", service: machine)

/// Takes the order from the first discovery to the last drop.
final class Barista: ConnectionObserver {
    let bluejay = Bluejay()
    let coffee = Coffee(size: .medium, water: 180, temperature: 935)

    func begin() {
        bluejay.register(connectionObserver: self)
        bluejay.start()
        bluejay.scan(
            duration: 30,
            serviceIdentifiers: [machine],
            discovery: { [weak self] discovery, _ in
                .connect(discovery, .seconds(15), .default) { result in
                    if case .failure(let error) = result { self?.fail(error) }
                }
            },
            stopped: { [weak self] discoveries, error in
                if let error { self?.fail(error) }
                if discoveries.isEmpty { exit(1) }
            })
    }

    func connected(to peripheral: PeripheralIdentifier) {
        print("connected")
        bluejay.write(to: order, value: coffee) { [weak self] result in
            switch result {
            case .success:
                print("ordered")
                self?.check()
            case .failure(let error):
                self?.fail(error)
            }
        }
    }

    private func check() {
        bluejay.read(from: order) { [weak self] (result: ReadResult<Coffee>) in
            guard let self else { return }
            switch result {
            case .success(let noted):
                print("noted: \(noted.size), \(noted.water) ml, \(noted.temperature) tenths of a degree")
                print("as ordered: \(noted == self.coffee)")
                self.brew()
            case .failure(let error):
                self.fail(error)
            }
        }
    }

    private func brew() {
        bluejay.listen(to: progress, multipleListenOption: .replaceable) { [weak self] (percent: ReadResult<UInt8>) in
            switch percent {
            case .success(let percent):
                print("brewed: \(percent) %")
                if percent == 100 { self?.leave() }
            case .failure(let error):
                self?.fail(error)
            }
        }
        bluejay.write(to: start, value: UInt8(1), type: .withResponse) { [weak self] result in
            if case .failure(let error) = result { self?.fail(error) }
        }
    }

    private func leave() {
        bluejay.disconnect(immediate: true) { result in
            print("left: \(result)".prefix(18))
            exit(0)
        }
    }

    private func fail(_ error: Error) {
        print("failed: \(error.localizedDescription)")
        exit(1)
    }
}

let barista = Barista()
barista.begin()
dispatchMain()
