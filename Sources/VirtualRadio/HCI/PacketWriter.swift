/// Builds packets for hosts, one after another in the same memory.
final class PacketWriter {
    private var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(1 << 10)
    }

    /// Begins an event. ``finish()`` fills its length in.
    func begin(_ code: EventCode) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(PacketType.event.rawValue)
        bytes.append(code.rawValue)
        bytes.append(0)
    }

    func begin(_ code: LEEventCode) {
        begin(.leMeta)
        bytes.append(code.rawValue)
    }

    /// Begins data of a connection. `flags`: packet boundary and broadcast flags.
    func beginData(handle: Int, flags: Int, length: Int) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(PacketType.data.rawValue)
        add(handle & 0xFFF | flags << 12)
        add(length)
    }

    func add(_ byte: UInt8) {
        bytes.append(byte)
    }

    func add(_ status: ErrorCode) {
        bytes.append(status.rawValue)
    }

    /// 16 bits.
    func add(_ number: Int) {
        bytes.append(UInt8(truncatingIfNeeded: number))
        bytes.append(UInt8(truncatingIfNeeded: number >> 8))
    }

    func add(_ value: UInt64, bytes count: Int) {
        for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place))) }
    }

    func add(_ address: DeviceAddress) {
        add(address.bits, bytes: 6)
    }

    /// An address after its type.
    func addTyped(_ address: DeviceAddress) {
        bytes.append(address.type)
        add(address)
    }

    func add(_ content: [UInt8]) {
        bytes.append(contentsOf: content)
    }

    func add(_ content: ArraySlice<UInt8>) {
        bytes.append(contentsOf: content)
    }

    func add(_ content: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: content)
    }

    /// Fills the length of an event in, which is 255 at most.
    func finish() {
        bytes[2] = UInt8(truncatingIfNeeded: bytes.count - 3)
    }

    /// Calls `body` with the packet.
    func take(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes(body)
    }
}
