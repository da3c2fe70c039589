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

    /// Whose the addresses of the capture are.
    package private(set) var resolvingList: ResolvingList
    /// Whether devices have addresses that the capture explains later, and it could not be read a second time.
    package private(set) var hasUnreadKeys = false

    /// Reads a capture to its end; once more if it says only at the end whose an address at its beginning is.
    ///
    /// - Parameters:
    ///   - only: the device of which everything is kept; nil: of all.
    ///   - resolvingList: what is known of addresses beforehand.
    package init(
        _ file: consuming CaptureFile, only: DeviceIdentity? = nil, _ resolvingList: ResolvingList = ResolvingList()
    ) throws(CaptureError) {
        let rewind = file.rewind
        var reading = try Reading(file, only, resolvingList)
        if reading.table.resolvingList.isLate {
            if let again = try rewind() {
                reading = try Reading(again, only, reading.table.resolvingList.forAnotherReading)
            } else {
                hasUnreadKeys = true
            }
        }
        let (observer, table) = (reading.observer, reading.table)
        formatName = reading.file.formatName
        packetCount = reading.file.count
        fileRemark = reading.file.remark
        devices = observer.devices.values.sorted { $0.first.number < $1.first.number }
        omittedDevices = observer.omittedDevices
        omittedLinks = table.omittedLinks
        damagedCount = reading.air.damagedCount
        strayCount = observer.strayCount
        classicCount = reading.hci.classicCount
        classicAddresses = reading.hci.classicAddresses
        unknownCount = reading.hci.unknownCount
        hasRunOut = observer.hasRunOut
        self.resolvingList = table.resolvingList
        addAddresses()
    }

    private func addAddresses() {
        let addresses = resolvingList.addresses
        for device in devices {
            device.otherAddresses = addresses[device.identity] ?? []
            if !device.otherAddresses.isEmpty { device.evidence = resolvingList.evidence(of: device.identity) }
            let centrals = device.links.compactMap(\.central)
            device.keys = ([device.identity] + centrals).flatMap { resolvingList.keys(of: $0) }
        }
    }

    /// Those with links whose addresses change, and of which the capture does not say whose these are.
    package var unresolved: [ObservedDevice] {
        devices.filter { !$0.links.isEmpty && $0.identity.address?.isResolvable == true }
    }

    /// Those of which a profile can be made.
    package var importable: [ObservedDevice] { devices.filter(\.isImportable) }
}

/// A capture that was read to its end.
private struct Reading {
    let observer: DeviceObserver
    let table: LinkTable
    let hci: HCILinks
    let air: AirLinks
    private(set) var file: CaptureFile

    init(_ file: CaptureFile, _ only: DeviceIdentity?, _ resolvingList: ResolvingList) throws(CaptureError) {
        self.file = file
        observer = DeviceObserver(only: only)
        table = LinkTable(observer, resolvingList)
        hci = HCILinks(table)
        air = AirLinks(table)
        while let record = try self.file.next() { receive(CapturedPacket(record)) }
        observer.finish()
    }

    private func receive(_ packet: CapturedPacket) {
        let mark = PacketMark(packet)
        switch packet.content {
        case .command(let bytes, let controller): hci.receive(command: bytes, controller: controller, at: mark)
        case .event(let bytes, let controller): hci.receive(event: bytes, controller: controller, at: mark)
        case .acl(let bytes, let controller, let isReceived):
            hci.receive(acl: bytes, controller: controller, isReceived: isReceived, at: mark)
        case .controller(let controller, let address, let isNew):
            hci.receive(address: address, of: controller, isNew: isNew)
        case .management(let bytes, let isEvent):
            table.resolvingList.receive(management: bytes, isEvent: isEvent, at: mark)
        case .air(let frame): air.receive(frame, at: mark)
        case .other: break
        }
    }
}
