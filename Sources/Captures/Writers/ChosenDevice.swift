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

    /// - Parameter name: the device as a list of the capture has it; nil: the only one with a link.
    package init(_ name: String?, in path: String) throws(Problem) {
        let analysis = try Self.analyse(path, only: nil)
        let chosen = try Self.choose(name, from: analysis)
        guard analysis.hasRunOut else {
            device = chosen
            self.analysis = analysis
            return
        }
        // Once more, for this device alone: it has the room of all then.
        self.analysis = try Self.analyse(path, only: chosen.identity)
        device = self.analysis.devices.first { $0.identity == chosen.identity } ?? chosen
    }

    private static func analyse(_ path: String, only identity: DeviceIdentity?) throws(Problem) -> CaptureAnalysis {
        do throws(CaptureError) {
            return try CaptureAnalysis(CaptureFile(path: path), only: identity)
        } catch {
            throw .unreadable(error)
        }
    }

    private static func choose(_ name: String?, from analysis: CaptureAnalysis) throws(Problem) -> ObservedDevice {
        if let name {
            let named = { (text: String) in analysis.devices.first { $0.identity.text == text } }
            if let found = named(name.uppercased()) ?? named(name) { return found }
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
