import Bluejay

let heartRate = ServiceIdentifier(uuid: "180D")
let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)

struct HeartRate: Receivable {
    let beatsPerMinute: Int

    init(bluetoothData: Data) throws {
        let flags: UInt8 = try bluetoothData.extract(start: 0, length: 1)
        if flags & 1 == 0 {
            let rate: UInt8 = try bluetoothData.extract(start: 1, length: 1)
            beatsPerMinute = Int(rate)
        } else {
            let rate: UInt16 = try bluetoothData.extract(start: 1, length: 2)
            beatsPerMinute = Int(rate)
        }
    }
}

let bluejay = Bluejay()
bluejay.start()

bluejay.scan(
    serviceIdentifiers: [heartRate],
    discovery: { discovery, _ in
        .connect(discovery, .seconds(20), .default) { result in
            switch result {
            case .success(let peripheral):
                say("connected to \(peripheral.name)")
                listen()
            case .failure(let error): say("not connected: \(error)")
            }
        }
    },
    stopped: { _, error in
        if let error { say("scan ended: \(error)") }
    })

func listen() {
    bluejay.listen(to: measurement) { (result: ReadResult<HeartRate>) in
        switch result {
        case .success(let value): say("\(value.beatsPerMinute) bpm")
        case .failure(let error): say("no heart rate: \(error)")
        }
    }
}

func say(_ text: String) {
    print(text)
    fflush(nil)  // into a pipe, print alone would wait until it has 4 KiB
}

dispatchMain()
