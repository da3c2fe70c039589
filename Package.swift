// swift-tools-version: 6.1
import PackageDescription

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
    name: "bluejay-linux",
    products: [
        .library(name: "Bluejay", targets: ["Bluejay"]),
        .library(name: "UIKitStandIns", targets: ["UIKitStandIns"]),
        .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
        .library(name: "Dittojay", targets: ["Dittojay"]),
        .library(name: "BluetoothLab", targets: ["BluetoothLab"]),
        .library(name: "VirtualRadio", targets: ["VirtualRadio"]),
        .executable(name: "dittojay", targets: ["DittojayCommand"]),
        .executable(name: "bluejay", targets: ["BluejayCommand"]),
        .executable(name: "virtual-radio", targets: ["VirtualRadioCommand"]),
        .executable(name: "virtual-radio-scene", targets: ["RadioScenesCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // The two C libraries, each with a shim for what Swift cannot import.
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        // No library: makes `import CoreBluetooth.CBUUID` and the like mean CoreBluetooth.
        .systemLibrary(name: "CoreBluetoothSubmodules"),

        // What both programs use: the profiles' formats and names, and lines of output. Neither knows Bluetooth.
        .target(name: "GATTProfiles", dependencies: ["AssignedNumbers"]),
        .target(name: "LineOutput", dependencies: ["PlainText"]),
        // JSON, files whose mistakes are reported together, the names of faults, text that is safe on a terminal,
        // suggestions for mistyped words. The standard library suffices.
        .target(name: "PlainText"),
        // The names of numbers that the Bluetooth SIG assigns, in tables that cost nothing until something is looked
        // up.
        .target(name: "AssignedNumbers"),
        // Profile files as they are written of a device that was seen.
        .target(name: "ProfileWriting", dependencies: ["AssignedNumbers", "GATTProfiles", "PlainText"]),
        // What the Core Specification's cryptographic toolbox has, for the radio and for captures. The standard library
        // suffices.
        .target(name: "CryptographicToolbox"),
        // Captures of Bluetooth traffic, and what they say of a device: its attributes and its behaviour.
        .target(
            name: "Captures",
            dependencies: [
                "AssignedNumbers", "CryptographicToolbox", "GATTProfiles", "LineOutput", "PlainText", "ProfileWriting",
            ]),
        // Files in YAML within bounds, for profiles and scenes.
        .target(name: "YAMLText", dependencies: ["PlainText", yams]),

        // The layers: each imports only what is above it in this list.
        // System calls: Unix sockets, programs that are started, the user's folders. The standard library suffices.
        .target(name: "Posix"),
        // The main loop, servers at Unix sockets, and the loggers of the layers.
        .target(name: "MainLoop", dependencies: ["CGLib", "Posix", logging]),
        .target(name: "DBus", dependencies: ["CDBus", "MainLoop", logging]),
        .target(name: "BlueZ", dependencies: ["CGLib", "DBus", "MainLoop", "Posix", deque, logging]),
        .target(
            name: "CoreBluetooth",
            dependencies: [
                "AssignedNumbers", "BlueZ", "CoreBluetoothSubmodules", "DBus", "MainLoop", "Posix", deque, logging,
            ]),
        // The names of UIKit that Bluejay's API mentions, apart for those who have their own.
        .target(name: "UIKitStandIns"),
        .target(
            name: "Bluejay",
            dependencies: ["CoreBluetooth", "MainLoop", "UIKitStandIns", deque, logging]),
        // The agent that keeps the Bluetooth state of programs that are not running: server and Bluetooth backend.
        .target(
            name: "RestorationAgent",
            dependencies: ["CoreBluetooth", "MainLoop", "Posix", deque, logging]),
        .target(
            name: "Dittojay",
            dependencies: [
                "AssignedNumbers", "BlueZ", "CoreBluetooth", "DBus", "GATTProfiles", "LineOutput", "MainLoop",
                "PlainText", "Posix", "YAMLText", deque, logging,
            ]),

        // Running dittojays to look at and to control: a page in a browser, and its terminal form.
        .target(
            name: "DittojayUI",
            dependencies: [
                "AssignedNumbers", "Dittojay", "GATTProfiles", "MainLoop", "PlainText", "Posix",
            ],
            resources: [.embedInCode("Page")]),

        // The programs: argument parsing and printing. What both have: options, checks of the machine, and
        // notifications on the user's desktop.
        .target(
            name: "CommandSupport",
            dependencies: ["BlueZ", "DBus", "LineOutput", "MainLoop", "PlainText", argumentParser, logging]),
        .executableTarget(
            name: "DittojayCommand",
            dependencies: [
                "AssignedNumbers", "BlueZ", "Captures", "CommandSupport", "CoreBluetooth", "Dittojay", "DittojayUI",
                "GATTProfiles", "LineOutput", "MainLoop", "PlainText", "ProfileWriting", argumentParser,
            ]),
        .executableTarget(
            name: "BluejayCommand",
            dependencies: [
                "AssignedNumbers", "BlueZ", "Captures", "CommandSupport", "CoreBluetooth", "GATTProfiles", "LineOutput",
                "MainLoop", "PlainText", "Posix", "ProfileWriting", "RestorationAgent", argumentParser, logging,
            ]),

        // LE controllers and the air between them, without input and output, and the program that attaches them to the
        // kernel. They know nothing of the layers above, and need the standard library and the toolbox alone.
        .target(name: "VirtualRadio", dependencies: ["CryptographicToolbox"]),
        // Scenes, commands and the control protocol of the radio: texts in, texts out. It, too, needs the standard
        // library alone.
        .target(name: "RadioControl", dependencies: ["PlainText", "VirtualRadio"]),
        .executableTarget(
            name: "VirtualRadioCommand", dependencies: ["PlainText", "Posix", "RadioControl", "VirtualRadio"]),
        // Scenes in YAML, which need Foundation, and the program that makes them into what the radio reads.
        .target(name: "RadioScenes", dependencies: ["PlainText", "RadioControl", "YAMLText"]),
        .executableTarget(name: "RadioScenesCommand", dependencies: ["RadioScenes"]),

        // For tests, ours and those of other packages: the lab around them, and programs under test.
        .target(
            name: "BluetoothLab",
            dependencies: [
                "BlueZ", "CGLib", "DBus", "GATTProfiles", "MainLoop", "PlainText", "Posix", "RadioScenes",
            ]),

        .target(name: "OwnUIKit", path: "Tests/OwnUIKit"),
        .target(
            name: "TestSupport",
            dependencies: ["BlueZ", "BluetoothLab", "CoreBluetooth", "DBus", "MainLoop", "Posix", logging],
            path: "Tests/TestSupport"),
        .testTarget(name: "MainLoopTests", dependencies: ["MainLoop", "Posix", "TestSupport", logging]),
        .testTarget(name: "PosixTests", dependencies: ["Posix", "TestSupport"]),
        .testTarget(name: "DBusTests", dependencies: ["CDBus", "DBus", "MainLoop", "TestSupport"]),
        .testTarget(name: "LineOutputTests", dependencies: ["LineOutput", "PlainText"]),
        .testTarget(name: "PlainTextTests", dependencies: ["PlainText"]),
        .testTarget(name: "AssignedNumbersTests", dependencies: ["AssignedNumbers"]),
        .testTarget(name: "BlueZTests", dependencies: ["BlueZ", "DBus", "MainLoop", "TestSupport"]),
        .testTarget(
            name: "RestorationAgentTests",
            dependencies: ["CoreBluetooth", "Posix", "RestorationAgent", "TestSupport"]),
        .testTarget(
            name: "CoreBluetoothTests",
            dependencies: [
                "BlueZ", "CoreBluetooth", "DBus", "MainLoop", "RestorationAgent", "TestSupport", deque,
            ]),
        // The public API as programs see it: from outside of the package, and without warnings.
        .testTarget(
            name: "PublicAPITests", dependencies: ["Bluejay", "CoreBluetooth", "UIKitStandIns"], packageAccess: false,
            swiftSettings: [.unsafeFlags(["-warnings-as-errors"])]),
        // Most programs for CoreBluetooth are still in the Swift 5 language mode: they must compile as well.
        .testTarget(
            name: "CoreBluetoothSwift5Tests", dependencies: ["CoreBluetooth"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "BluejayTests",
            dependencies: [
                "Bluejay", "BluetoothLab", "CentralBench", "CommandSupport", "CoreBluetooth", "OwnUIKit", "TestSupport",
                "UIKitStandIns",
            ]),
        .testTarget(
            name: "CommandSupportTests",
            dependencies: ["CommandSupport", "DBus", "LineOutput", "MainLoop", "PlainText", "TestSupport", logging]),
        .testTarget(
            name: "DittojayUITests",
            dependencies: ["Dittojay", "DittojayUI", "GATTProfiles", "Posix", "TestSupport"]),
        .testTarget(
            name: "DittojayTests",
            dependencies: [
                "AssignedNumbers", "BlueZ", "CoreBluetooth", "DBus", "Dittojay", "GATTProfiles", "LineOutput",
                "MainLoop", "PlainText", "Posix", "TestSupport", "YAMLText", yams,
            ]),
        .testTarget(
            name: "BluejayCommandTests",
            dependencies: [
                "BluejayCommand", "CoreBluetooth", "Dittojay", "GATTProfiles", "LineOutput", "PlainText",
                "ProfileWriting", "TestSupport",
            ]),
        .testTarget(
            name: "CapturesTests",
            dependencies: [
                "Captures", "CoreBluetooth", "CryptographicToolbox", "Dittojay", "ProfileWriting", "RadioControl",
                "RadioScenes", "TestSupport",
            ]),
        // The built programs, each in a process of its own.
        .testTarget(name: "ProgramTests", dependencies: ["BluetoothLab", "DBus", "MainLoop", "TestSupport"]),
        .testTarget(name: "BluetoothLabTests", dependencies: ["BluetoothLab"]),
        .testTarget(
            name: "VirtualRadioTests",
            dependencies: ["CryptographicToolbox", "Posix", "RadioControl", "VirtualRadio", "VirtualRadioCommand"]),
        .testTarget(
            name: "RadioControlTests", dependencies: ["PlainText", "RadioControl", "RadioScenes", "VirtualRadio"]),
        // scripts/fuzz: no test of its own, and no part of what others get of this package.
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "AssignedNumbers", "BlueZ", "Captures", "CoreBluetooth", "DBus", "Dittojay", "DittojayUI",
                "GATTProfiles",
                "MainLoop", "PlainText", "RadioControl", "RadioScenes", "RestorationAgent", "TestSupport",
                "VirtualRadio",
            ],
            path: "Tests/Fuzz"),
        // scripts/soak, which runs in the lab: the same holds for it.
        .executableTarget(name: "Soak", dependencies: ["BluetoothLab"], path: "Tests/Soak"),
        // The central of ./lab bench, and a program whose state is restored, which tests kill.
        .executableTarget(
            name: "CentralBench",
            dependencies: [
                "Bluejay", "CommandSupport", "CoreBluetooth", "GATTProfiles", "LineOutput", "MainLoop", "PlainText",
                argumentParser,
            ],
            path: "Tests/CentralBench"),
        .executableTarget(
            name: "RestorationDemo",
            dependencies: [
                "Bluejay", "CommandSupport", "CoreBluetooth", "GATTProfiles", "LineOutput", "MainLoop", "PlainText",
                argumentParser,
            ],
            path: "Tests/RestorationDemo"),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "BlueZ", "Bluejay", "BluetoothLab", "CoreBluetooth", "DBus", "GATTProfiles", "MainLoop", "Posix",
                "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// What a file uses it imports itself, and an import is for the package's own use unless it says otherwise.
for target in package.targets where [.regular, .executable, .test].contains(target.type) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
        ]
}
