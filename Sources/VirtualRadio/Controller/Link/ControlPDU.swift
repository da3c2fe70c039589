/// The packets by which the ends of a connection negotiate. (Core Specification, Vol 6 Part B, 2.4.2)
///
/// Procedures here take effect by themselves. The packets are for sniffers.
enum ControlPDU: UInt8 {
    case connectionUpdate = 0x00
    case terminate = 0x02
    case encryptionRequest = 0x03
    case encryptionResponse = 0x04
    case startEncryptionRequest = 0x05
    case startEncryptionResponse = 0x06
    case featureRequest = 0x08
    case featureResponse = 0x09
    case pauseEncryptionRequest = 0x0A
    case pauseEncryptionResponse = 0x0B
    case version = 0x0C
    case reject = 0x0D
    case peripheralFeatureRequest = 0x0E
    case connectionParametersRequest = 0x0F
    case lengthRequest = 0x14
    case lengthResponse = 0x15
    case phyRequest = 0x16
    case phyResponse = 0x17
    case phyUpdate = 0x18
}

extension Connection {
    func send(control: ControlPDU, _ content: @autoclosure () -> [UInt8] = []) {
        guard let sniffer = link.radio.sniffer else { return }
        sniffer.hear(self, control, content())
    }
}
