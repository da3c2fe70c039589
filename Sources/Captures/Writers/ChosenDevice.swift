import PlainText

/// The device of a capture that a command is about, and the capture, of which everything of that device is kept.
package struct ChosenDevice {
    package let device: ObservedDevice
    package let analysis: CaptureAnalysis

    /// Why there is none.
    package enum Problem: Error {
        case unreadable(CaptureError)
        /// The capture does not have the device that was asked for.
        case unknown(String)
        /// No device has a link of which anything can be read; with what else was not read.
        case nothing(String, [String])
        case several(DeviceList)

        /// Whether the command has to be called in another way.
        package var isUsage: Bool {
            if case .nothing = self { false } else { true }
        }

        /// - Parameter path: the capture, in front of each line.
        package func lines(_ path: String) -> [String] {
            switch self {
            case .unreadable(let error): ["\(path): \(error)"]
            case .unknown(let sentence): ["\(path): \(sentence)"]
            case .nothing(let obstacle, let problems): ([obstacle] + problems).map { "\(path): \($0)" }
            case .several: ["\(path) has several devices; choose one with --device ADDRESS"]
            }
        }
    }

    /// - Parameter names: the device as a list of the capture has it, or by another of its addresses; empty: the only
    ///   one with a link. Several are one device, by the identity of the first.
    package init(_ names: [String], in path: String) throws(Problem) {
        let analysis = try Self.analyse(path, only: nil)
        let chosen = try Self.choose(names.first, from: analysis)
        var resolvingList = analysis.resolvingList.forAnotherReading
        var isJoined = false
        for name in names.dropFirst() {
            let other = try Self.choose(name, from: analysis)
            guard other !== chosen else { continue }
            resolvingList.join(other.identity, to: chosen.identity)
            isJoined = true
        }
        guard analysis.hasRunOut || isJoined else {
            device = chosen
            self.analysis = analysis
            return
        }
        // Once more, for this device alone: it has the room of all then.
        let only = analysis.hasRunOut ? chosen.identity : nil
        self.analysis = try Self.analyse(path, only: only, resolvingList)
        device = self.analysis.devices.first { $0.identity == chosen.identity } ?? chosen
    }

    private static func analyse(
        _ path: String, only identity: DeviceIdentity?, _ resolvingList: ResolvingList = ResolvingList()
    ) throws(Problem) -> CaptureAnalysis {
        do throws(CaptureError) {
            return try CaptureAnalysis(CaptureFile(path: path), only: identity, resolvingList)
        } catch {
            throw .unreadable(error)
        }
    }

    private static func choose(_ name: String?, from analysis: CaptureAnalysis) throws(Problem) -> ObservedDevice {
        if let name {
            if let found = analysis.device(name.uppercased()) ?? analysis.device(name) { return found }
            let known = analysis.devices.map(\.identity.text)
            throw .unknown(
                "unknown device \"\(name)\"\(Suggestion.text(for: name, among: known)); \"dittojay import --list\" shows "
                    + counted(known.count, "device"))
        }
        if let obstacle = analysis.obstacle { throw .nothing(obstacle, analysis.problems) }
        guard analysis.importable.count == 1, let only = analysis.importable.first else {
            throw .several(DeviceList(analysis))
        }
        return only
    }
}

extension CaptureAnalysis {
    /// The device with an address, be it another than that of its identity.
    package func device(_ text: String) -> ObservedDevice? {
        devices.first { $0.identity.text == text }
            ?? devices.first { device in device.otherAddresses.contains { $0.description == text } }
    }
}
