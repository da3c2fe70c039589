/// The first byte of a packet between a host and its controller. (Core Specification, Vol 4 Part A, 2)
enum PacketType: UInt8 {
    case command = 0x01
    case data = 0x02
    case event = 0x04
}
