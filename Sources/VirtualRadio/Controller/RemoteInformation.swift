/// What the device at the other end says about itself. (Core Specification, Vol 4 Part E, 7.1.23, 7.8.21)
extension Controller {
    static let remoteInformationCommands = [
        Command(0x041D, length: 2, supported: (2, 7), answer: .status, readRemoteVersion),
        Command(0x2016, length: 2, supported: (27, 5), answer: .status, readRemoteFeatures),
    ]

    private func readRemoteVersion(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        for connection in [connection, connection.other] {
            connection.send(control: .version, Self.versionContent(connection.kind))
        }
        connection.link.inEvents(1) { [self] in
            guard connection.isOpen, let event = begin(.readRemoteVersionInformationComplete) else { return }
            event.add(ErrorCode.success)
            event.add(connection.handle)
            event.add(connection.other.kind.version)
            event.add(Self.manufacturer)
            event.add(Self.subversion)
            send(event)
        }
        return .success
    }

    private static func versionContent(_ kind: ControllerKind) -> [UInt8] {
        [kind.version] + [UInt8](number: manufacturer) + [UInt8](number: subversion)
    }

    private func readRemoteFeatures(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        let request: ControlPDU = connection.isCentral ? .featureRequest : .peripheralFeatureRequest
        connection.send(control: request, [UInt8](bits: connection.kind.features, count: 8))
        connection.other.send(control: .featureResponse, [UInt8](bits: connection.other.kind.features, count: 8))
        connection.link.inEvents(1) { [self] in
            guard connection.isOpen, let event = begin(.readRemoteFeaturesComplete) else { return }
            event.add(ErrorCode.success)
            event.add(connection.handle)
            event.add(connection.other.kind.features, bytes: 8)
            send(event)
        }
        return .success
    }
}
