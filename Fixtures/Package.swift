// swift-tools-version: 6.1
import PackageDescription

// A package of its own, as its users' are: what it uses of the libraries has to be public, and a build of the libraries
// does not have to build this. Each program is built twice, in both language modes; the folder swift5 has links to the
// same sources, because a source file belongs to one target only.

let bluejay: Target.Dependency = .product(name: "Bluejay", package: "bluejay-linux")
let coreBluetooth: Target.Dependency = .product(name: "CoreBluetooth", package: "bluejay-linux")

let dittojay: Target.Dependency = .product(name: "Dittojay", package: "bluejay-linux")

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let uiKitStandIns: Target.Dependency = .product(name: "UIKitStandIns", package: "bluejay-linux")

/// In both language modes.
let programs: [(folder: String, name: String, libraries: [Target.Dependency])] = [
    ("library-guide", "watch", [bluejay]),
    ("library-guide", "battery", [coreBluetooth]),
    ("library-guide", "logged", [bluejay, logging]),
    ("readme", "heart-rate", [bluejay]),
    ("readme", "coffee", [bluejay]),
    ("readme", "unlock", [bluejay]),
    ("readme", "serial-number", [bluejay]),
    ("readme", "download-log", [bluejay]),
    ("readme", "reset-energy", [bluejay]),
    ("readme", "restoration", [bluejay, uiKitStandIns]),
    ("readme", "service-observer", [bluejay]),
    ("readme", "reconnect", [bluejay]),
    ("readme", "handover", [bluejay]),
    ("corebluetooth", "json-central", [coreBluetooth]),
    ("corebluetooth", "json-peripheral", [coreBluetooth]),
    ("corebluetooth", "restored-counter", [coreBluetooth]),
    ("dittojay", "every-declaration", [coreBluetooth, dittojay]),
]

/// What an article says of the Swift 6 language mode.
let swift6Programs: [(name: String, libraries: [Target.Dependency])] = [
    ("monitor", [bluejay]),
    ("portable", [coreBluetooth]),
    ("recorder", [bluejay]),
    ("scanner", [coreBluetooth]),
]

/// Programs with a race, for the search (docs/explore.md).
let races: [(name: String, libraries: [Target.Dependency])] = [
    ("connect-timeout", [coreBluetooth]),
    ("late-read", [bluejay]),
]

let package = Package(
    name: "bluejay-fixtures",
    dependencies: [
        .package(name: "bluejay-linux", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: programs.flatMap { program -> [Target] in
        [
            .executableTarget(
                name: "\(program.name)-swift6", dependencies: program.libraries,
                path: "\(program.folder)/\(program.name)", swiftSettings: [.swiftLanguageMode(.v6)]),
            .executableTarget(
                name: "\(program.name)-swift5", dependencies: program.libraries,
                path: "swift5/\(program.folder)/\(program.name)", swiftSettings: [.swiftLanguageMode(.v5)]),
        ]
    }
        + swift6Programs.map { program in
            .executableTarget(
                name: "\(program.name)-swift6", dependencies: program.libraries, path: "swift6/\(program.name)",
                swiftSettings: [.swiftLanguageMode(.v6)])
        }
        + races.map { race in
            .executableTarget(name: "race-\(race.name)", dependencies: race.libraries, path: "races/\(race.name)")
        }
)
