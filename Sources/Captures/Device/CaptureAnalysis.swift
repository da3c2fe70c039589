/// Everything of a capture that is of use: which devices there are, and what they have said.
package final class CaptureAnalysis {
    package let formatName: String
    package private(set) var packetCount = 0
    /// Why the file was not read to its end.
    package private(set) var fileRemark: String?
    /// Those that advertise or have links, in the order in which they appear.
    package private(set) var devices: [ObservedDevice] = []
    package private(set) var omittedDevices = 0
    package private(set) var omittedLinks = 0
    /// Frames of a sniffer with a wrong CRC.
    package private(set) var damagedCount = 0
    /// Answers to requests that the capture does not have.
    package private(set) var strayCount = 0
    /// Packets of BR/EDR, and the devices of these links.
    package private(set) var classicCount = 0
    package private(set) var classicAddresses: Set<DeviceAddress> = []
    /// Packets of channels whose opening is not in the capture.
    package private(set) var unknownCount = 0
    /// Whether there was more than is kept.
    package private(set) var hasRunOut = false

    /// Reads a capture to its end.
    ///
    /// - Parameter only: the device of which everything is kept; nil: of all.
    package init(_ file: consuming CaptureFile, only: DeviceIdentity? = nil) throws(CaptureError) {
        let observer = DeviceObserver(only: only)
        let table = LinkTable(observer)
        let hci = HCILinks(table)
        let air = AirLinks(table)
        while let record = try file.next() {
            let packet = CapturedPacket(record)
            let mark = PacketMark(packet)
            switch packet.content {
            case .command(let bytes, let controller): hci.receive(command: bytes, controller: controller, at: mark)
            case .event(let bytes, let controller): hci.receive(event: bytes, controller: controller, at: mark)
            case .acl(let bytes, let controller, let isReceived):
                hci.receive(acl: bytes, controller: controller, isReceived: isReceived, at: mark)
            case .controller(let controller, let address, let isNew):
                hci.receive(address: address, of: controller, isNew: isNew)
            case .air(let frame): air.receive(frame, at: mark)
            case .other: break
            }
        }
        observer.finish()
        formatName = file.formatName
        packetCount = file.count
        fileRemark = file.remark
        devices = observer.devices.values.sorted { $0.first.number < $1.first.number }
        omittedDevices = observer.omittedDevices
        omittedLinks = table.omittedLinks
        damagedCount = air.damagedCount
        strayCount = observer.strayCount
        classicCount = hci.classicCount
        classicAddresses = hci.classicAddresses
        unknownCount = hci.unknownCount
        hasRunOut = observer.hasRunOut
    }

    /// Those of which a profile can be made.
    package var importable: [ObservedDevice] { devices.filter(\.isImportable) }
}
