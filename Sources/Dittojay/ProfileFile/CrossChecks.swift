import CoreBluetooth
import PlainText

/// What can be checked only when all characteristics are known.
struct CrossChecks {
    private let profile: PeripheralProfile
    private let drafts: [ProfileReader.ServiceDraft]

    init(_ profile: PeripheralProfile, drafts: [ProfileReader.ServiceDraft]) {
        self.profile = profile
        self.drafts = drafts
    }

    /// - Parameters:
    ///   - root: where the scenario is, or the file.
    ///   - recording: where the recording is.
    func run(_ root: FileNode, recording: FileNode?) {
        let context = root.context
        var chirps = false
        for (service, draft) in zip(profile.services, drafts) {
            for (characteristic, draft) in zip(service.characteristics, draft.characteristics) {
                let node = draft.members.node
                if characteristic.chirps {
                    if chirps {
                        context.note(
                            (draft.members["chirps"] ?? node).fail(
                                "only one characteristic can have \"chirps: true\""))
                    }
                    chirps = true
                }
                if case .writeCount(let path) = characteristic.source {
                    _ = context.attempt(try checkCounts(path, draft.members["count-of"] ?? node))
                }
                if case .psm(let name) = characteristic.source, !profile.channels.contains(where: { $0.name == name }) {
                    let node = draft.members["psm-of"] ?? node
                    context.note(node.fail("unknown L2CAP channel \"\(FileNode.shortened(name))\""))
                }
                if let rules = characteristic.writes {
                    if rules.effects.contains(.store), !rules.lengths.contains(characteristic.initialValue.count),
                        let value = draft.members["value"]
                    {
                        value.warn(
                            "the value has \(characteristic.initialValue.count) bytes, a length that cannot be written")
                    }
                    for reaction in rules.reactions {
                        if case .play(let steps) = reaction.outcome {
                            let write = draft.members["write"] ?? node
                            _ = context.attempt(try check(steps, write, chirps: hasChirp))
                        }
                    }
                }
            }
        }
        let faults = profile.services.reduce(0) { $1.characteristics.reduce($0) { $0 + $1.faults.count } }
        if faults > Fault.maximumCount {
            context.note(root.fail("too many faults: \(faults) (limit \(Fault.maximumCount))"))
        }
        if let node = recording, let recording = profile.recording {
            _ = context.attempt(try checkRecording(recording, node))
        }
        if !profile.scenario.isEmpty { _ = context.attempt(try checkScenario(profile.scenario, root)) }
    }

    /// What a recording has sent must not be mixed with other values.
    private func checkRecording(_ recording: Recording, _ node: FileNode) throws(FileMistake) {
        for path in Set(recording.values.map(\.characteristic)).sorted(by: { $0.description < $1.description }) {
            guard profile.characteristic(at: path)?.notifications == nil else {
                throw node.fail("\(path) is in the recording, but also sends values of its own (\"notify\")")
            }
        }
    }

    /// Checks a scenario that came with another file.
    func checkScenario(_ steps: [ScenarioStep], _ node: FileNode) throws(FileMistake) {
        try check(steps, node, chirps: hasChirp)
    }

    private var hasChirp: Bool { profile.services.contains { $0.characteristics.contains(where: \.chirps) } }

    private func checkCounts(_ path: CharacteristicPath, _ node: FileNode) throws(FileMistake) {
        guard profile.characteristic(at: path)?.writes?.effects.contains(.count) == true else {
            throw node.fail("\(path) does not count its writes: it requires \"count: true\" in its \"write\"")
        }
    }

    private func check(_ steps: [ScenarioStep], _ node: FileNode, chirps: Bool) throws(FileMistake) {
        for step in steps {
            switch step {
            case .chirp, .burst:
                guard chirps else { throw node.fail("no characteristic has \"chirps: true\"") }
            case .resetCount(let path): try checkCounts(path, node)
            case .resetEnergy(let path):
                guard case .heartRate = profile.characteristic(at: path)?.notifications?.source else {
                    throw node.fail(
                        "\(path) does not simulate a heart rate: it requires \"heart-rate\" in its \"notify\"")
                }
            case .repeat(_, let steps): try check(steps, node, chirps: chirps)
            default: break
            }
        }
    }
}
