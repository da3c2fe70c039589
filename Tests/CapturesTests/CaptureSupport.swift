import Captures
import Dittojay
import Foundation
import ProfileWriting
import TestSupport
import Testing

/// Imports what a builder made, as the command does.
func imported(
    _ builder: CaptureBuilder, faults: Bool = false, device: String? = nil
) throws -> DeviceImport {
    let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
    let chosen = try #require(
        device == nil ? analysis.importable.first : analysis.devices.first { $0.identity.text == device })
    return DeviceImport(
        chosen, analysis, ImportOptions(fileName: "capture.log", includesFaults: faults, standards: .glucose))
}

/// The profile, read as dittojay reads it.
func profile(_ made: DeviceImport) throws -> PeripheralProfile {
    try ProfileFile.parse(made.profile.lines.joined(separator: "\n"), file: "imported.yaml").value
}

/// The scenario, read as dittojay reads it, and its lines without the comments.
func scenario(_ made: DeviceImport) throws -> [String] {
    let scenario = try #require(made.scenario)
    _ = try ProfileFile.parseScenario(
        scenario.lines.joined(separator: "\n"), file: "scenario.yaml", for: try profile(made))
    return scenario.lines.map { $0.components(separatedBy: "  #")[0] }
}

extension [StandardTable] {
    static var glucose: [StandardTable] {
        [
            StandardTable(
                name: "glucose", uuid: "1808",
                characteristics: [
                    "2A18": ["notify"], "2A34": ["notify"], "2A51": ["read"], "2A52": ["write", "indicate"],
                ])
        ]
    }
}
