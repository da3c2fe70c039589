/// What the device at the other end says about itself. (Core Specification, Vol 4 Part E, 7.1.23, 7.8.21)
extension Controller {
    static let remoteInformationCommands = [
        Command(0x041D, length: 2, supported: (2, 7), answer: .status, readRemoteVersion),
        Command(0x2016, length: 2, supported: (27, 5), answer: .status, readRemoteFeatures),
    ]

    private func readRemoteVersion(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let end = try end(parameters.number(0))
        for end in [end, end.other] { end.send(control: .version, Self.versionContent(end.kind)) }
        end.link.inEvents(1) { [self] in
            guard end.isOpen, let event = begin(.readRemoteVersionInformationComplete) else { return }
            event.add(ErrorCode.success)
            event.add(end.handle)
            event.add(end.other.kind.version)
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
        let end = try end(parameters.number(0))
        let request: ControlPDU = end.isCentral ? .featureRequest : .peripheralFeatureRequest
        end.send(control: request, [UInt8](bits: end.kind.features, count: 8))
        end.other.send(control: .featureResponse, [UInt8](bits: end.other.kind.features, count: 8))
        end.link.inEvents(1) { [self] in
            guard end.isOpen, let event = begin(.readRemoteFeaturesComplete) else { return }
            event.add(ErrorCode.success)
            event.add(end.handle)
            event.add(end.other.kind.features, bytes: 8)
            send(event)
        }
        return .success
    }
}
