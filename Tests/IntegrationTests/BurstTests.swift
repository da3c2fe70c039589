import BlueZ
import BluetoothLab
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension InTheLab {
    /// A peripheral and a central in one process, as apps are that talk to each other, and bursts between them.
    @Suite struct Bursts {
        private func value(_ number: Int, length: Int = 20) -> Data {
            withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) } + Data(count: length - 4)
        }

        @Test func `all writes without response arrive in order, if the program waits for room`() async throws {
            try await withCounter { counter, central, service in
                let sink = try service.found(WriteCounter.sink)
                let count = rounds(2_000, thoroughly: 10_000)
                try await central.writeCommands((0..<count).map { value($0) }, to: sink)
                #expect(try await central.text(service.found(WriteCounter.name)) == "counter")
                #expect(try await counter.values.values(count) == (0..<count).map { value($0) })
            }
        }

        /// The bus lets a program wait for 128 answers only.
        @Test(arguments: [300, 1_000])
        func `a burst that does not wait for room arrives, and what follows is answered`(count: Int) async throws {
            try await withCounter { counter, central, service in
                let (sink, name) = (try service.found(WriteCounter.sink), try service.found(WriteCounter.name))
                try await central.on { [self] in
                    for number in 0..<count {
                        try central.peripheral.writeValue(value(number), for: sink, type: .withoutResponse)
                    }
                }
                #expect(try await central.text(name) == "counter")
                #expect(try await counter.values.values(count) == (0..<count).map { value($0) })
                try await central.write("more", to: sink)
            }
        }

        /// bluetoothd 5.66 drops the longer ones as a peripheral; they go out all the same.
        @Test(arguments: [510, 511, 512])
        func `writes without response of 512 bytes are sent`(length: Int) async throws {
            try await withCounter { counter, central, service in
                let sink = try service.found(WriteCounter.sink)
                try await central.writeCommands([value(1, length: length)], to: sink)
                // Behind it.
                try await central.write("end", to: sink)
                let isTaken = try await Lab.here.bluezVersion() > BlueZVersion(5, 66) || length <= 510
                let lengths = isTaken ? [length, 3] : [3]
                // bluetoothd answers the write by itself, perhaps before the peripheral has it.
                #expect(try await counter.values.values(lengths.count).map(\.count) == lengths)
            }
        }

        private func withCounter(
            _ body: (PlainPeripheral, PlainCentral, CBService) async throws -> Void
        ) async throws {
            let counter = WriteCounter.peripheral
            try await counter.test { central in
                try await body(counter, central, central.service(WriteCounter.service))
            }
        }
    }
}

/// A peripheral that takes writes with and without response.
private enum WriteCounter {
    static let service = CBUUID(string: "C0117E50-0000-4000-8000-000000000010")
    static let sink = CBUUID(string: "C0117E50-0001-4000-8000-000000000010")
    static let name = CBUUID(string: "C0117E50-0002-4000-8000-000000000010")

    static var peripheral: PlainPeripheral {
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: sink, properties: [.write, .writeWithoutResponse], value: nil, permissions: .writeable),
            CBMutableCharacteristic(
                type: name, properties: .read, value: Data("counter".utf8), permissions: .readable),
        ]
        return PlainPeripheral([service], advertising: Self.service)
    }
}
