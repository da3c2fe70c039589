/// Builds packets for hosts, one after another in the same memory.
///
/// The memory is raw, and its properties are only read and set: an array that grows would have to be checked for other
/// users at each byte, which is half of what a packet costs.
final class PacketWriter {
    /// No event is longer than 258 bytes, and no packet of data than 256. What would not fit is left out.
    private static let capacity = 1 << 10
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    private var count = 0

    deinit {
        memory.deallocate()
    }

    /// Begins an event. ``finish()`` fills its length in.
    func begin(_ code: EventCode) {
        count = 0
        add(PacketType.event.rawValue)
        add(code.rawValue)
        add(UInt8(0))
    }

    func begin(_ code: LEEventCode) {
        begin(.leMeta)
        add(code.rawValue)
    }

    /// Begins data of a connection. `flags`: packet boundary and broadcast flags.
    func beginData(handle: Int, flags: Int, length: Int) {
        count = 0
        add(PacketType.data.rawValue)
        add(handle & 0xFFF | flags << 12)
        add(length)
    }

    func add(_ byte: UInt8) {
        guard count < Self.capacity else { return }
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    func add(_ status: ErrorCode) {
        add(status.rawValue)
    }

    /// 16 bits.
    func add(_ number: Int) {
        add(UInt8(truncatingIfNeeded: number))
        add(UInt8(truncatingIfNeeded: number >> 8))
    }

    func add(_ value: UInt64, bytes count: Int) {
        for place in 0..<count { add(UInt8(truncatingIfNeeded: value >> UInt64(8 * place))) }
    }

    func add(_ address: DeviceAddress) {
        add(address.bits, bytes: 6)
    }

    /// An address after its type.
    func addTyped(_ address: DeviceAddress) {
        add(address.type)
        add(address)
    }

    func add(_ content: [UInt8]) {
        content.withUnsafeBytes { add($0) }
    }

    func add(_ content: ArraySlice<UInt8>) {
        content.withUnsafeBytes { add($0) }
    }

    func add(_ content: UnsafeRawBufferPointer) {
        guard let start = content.baseAddress, content.count <= Self.capacity - count else { return }
        (memory + count).copyMemory(from: start, byteCount: content.count)
        count += content.count
    }

    /// Fills the length of an event in, which is 255 at most.
    func finish() {
        memory.storeBytes(of: UInt8(truncatingIfNeeded: count - 3), toByteOffset: 2, as: UInt8.self)
    }

    /// Calls `body` with the packet.
    func take(_ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(start: memory, count: count))
    }
}
