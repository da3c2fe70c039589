/// The first byte of a packet between a host and its controller. (Core Specification, Vol 4 Part A, 2)
enum PacketType: UInt8 {
    case command = 0x01
    case data = 0x02
    /// Of BR/EDR. Controllers here have no such connections.
    case synchronousData = 0x03
    case event = 0x04
    /// Controllers here have no such connections either.
    case isochronousData = 0x05
}
