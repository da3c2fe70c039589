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
        .target(name: "LineOutput"),
        // The names of numbers that the Bluetooth SIG assigns, in tables that cost nothing until something is looked
        // up.
        .target(name: "AssignedNumbers"),
        // Files in YAML within bounds, for profiles and scenes.
        .target(name: "YAMLText", dependencies: [yams]),
        // Where the programs keep sockets and what they remember.
        .target(name: "UserFolders"),
        // How programs start others.
        .target(name: "ProgramLaunch"),

        // The loggers of the layers below.
        .target(name: "LayerLog", dependencies: [logging]),

        // The layers: each imports only what is above it in this list.
        .target(name: "MainLoop", dependencies: ["CGLib"]),
        // Unix sockets as servers have them: for the agent and the control socket.
        .target(name: "SocketServer", dependencies: ["MainLoop", "UserFolders"]),
        .target(name: "DBus", dependencies: ["CDBus", "LayerLog", "MainLoop", logging]),
        // What a program without a terminal shows and asks on the user's desktop. It knows no Bluetooth.
        .target(name: "DesktopNotifications", dependencies: ["DBus", "MainLoop"]),
        .target(
            name: "BlueZ",
            dependencies: ["CGLib", "DBus", "LayerLog", "MainLoop", "UserFolders", deque, logging]),
        // Restoration: what a program and the agent say to each other, and the record on disk. It knows no Bluetooth.
        .target(name: "RestorationProtocol", dependencies: ["ProgramLaunch", "UserFolders"]),
        .target(
            name: "CoreBluetooth",
            dependencies: [
                "AssignedNumbers", "BlueZ", "CoreBluetoothSubmodules", "DBus", "LayerLog", "MainLoop",
                "RestorationProtocol", deque, logging,
            ]),
        // The names of UIKit that Bluejay's API mentions, apart for those who have their own.
        .target(name: "UIKitStandIns"),
        .target(
            name: "Bluejay",
            dependencies: ["CoreBluetooth", "LayerLog", "RestorationProtocol", "UIKitStandIns", deque, logging]),
        // What a client uses of the services that the package has profiles for.
        .target(name: "ProfileClients", dependencies: ["Bluejay", "GATTProfiles", "LineOutput"]),
        // The agent that keeps the Bluetooth state of programs that are not running: server and Bluetooth backend.
        .target(
            name: "RestorationAgent",
            dependencies: [
                "CoreBluetooth", "LayerLog", "MainLoop", "ProgramLaunch", "RestorationProtocol", "SocketServer", deque,
                logging,
            ]),
        .target(
            name: "Dittojay",
            dependencies: [
                "AssignedNumbers", "BlueZ", "CoreBluetooth", "DBus", "GATTProfiles", "LayerLog", "LineOutput",
                "MainLoop", "SocketServer", "UserFolders", "YAMLText", deque, logging, yams,
            ]),

        // The server behind a page: HTTP on this machine, within limits. It knows nothing of what is served.
        .target(name: "LoopbackHTTP", dependencies: ["MainLoop"]),
        // Running dittojays to look at and to control: a page in a browser, and its terminal form.
        .target(
            name: "DittojayUI",
            dependencies: [
                "AssignedNumbers", "Dittojay", "GATTProfiles", "LineOutput", "LoopbackHTTP", "MainLoop", "UserFolders",
            ],
            resources: [.embedInCode("Page")]),

        // What both programs check about the machine that they run on.
        .target(name: "Doctor", dependencies: ["BlueZ", "DBus", "LineOutput", "MainLoop"]),

        // The programs: argument parsing and printing.
        .target(
            name: "ProgramSupport",
            dependencies: ["LayerLog", "LineOutput", argumentParser, logging]),
        .executableTarget(
            name: "DittojayCommand",
            dependencies: [
                "AssignedNumbers", "BlueZ", "CoreBluetooth", "DesktopNotifications", "Dittojay", "DittojayUI", "Doctor",
                "GATTProfiles", "LineOutput", "MainLoop", "ProgramSupport", argumentParser,
            ]),
        .executableTarget(
            name: "BluejayCommand",
            dependencies: [
                "AssignedNumbers", "BlueZ", "Bluejay", "CoreBluetooth", "DesktopNotifications", "Doctor",
                "GATTProfiles", "LayerLog", "LineOutput", "MainLoop", "ProfileClients", "ProgramSupport",
                "RestorationAgent", "RestorationProtocol", argumentParser, logging,
            ]),

        // LE controllers and the air between them, without input and output, and the program that attaches them to the
        // kernel. They know nothing of the layers above, and need the standard library alone.
        .target(name: "VirtualRadio"),
        // Scenes, commands and the control protocol of the radio: texts in, texts out. It, too, needs the standard
        // library alone.
        .target(name: "RadioControl", dependencies: ["VirtualRadio"]),
        .executableTarget(name: "VirtualRadioCommand", dependencies: ["RadioControl", "VirtualRadio"]),
        // Scenes in YAML, which need Foundation, and the program that makes them into what the radio reads.
        .target(name: "RadioScenes", dependencies: ["RadioControl", "YAMLText", yams]),
        .executableTarget(name: "RadioScenesCommand", dependencies: ["RadioScenes"]),

        // For tests, ours and those of other packages: the lab around them, and programs under test.
        .target(
            name: "BluetoothLab", dependencies: ["BlueZ", "CGLib", "DBus", "MainLoop", "ProgramLaunch", "RadioScenes"]),

        .target(name: "OwnUIKit", path: "Tests/OwnUIKit"),
        .target(
            name: "TestSupport",
            dependencies: [
                "BlueZ", "BluetoothLab", "DBus", "MainLoop", "ProgramLaunch", "RestorationProtocol", logging,
            ],
            path: "Tests/TestSupport"),
        .testTarget(name: "LayerLogTests", dependencies: ["LayerLog", "TestSupport", logging]),
        .testTarget(name: "ProgramLaunchTests", dependencies: ["ProgramLaunch", "TestSupport"]),
        .testTarget(name: "MainLoopTests", dependencies: ["MainLoop", "TestSupport"]),
        .testTarget(name: "SocketServerTests", dependencies: ["SocketServer", "TestSupport", "UserFolders"]),
        .testTarget(name: "DBusTests", dependencies: ["DBus", "MainLoop", "TestSupport"]),
        .testTarget(
            name: "DesktopNotificationsTests",
            dependencies: ["DBus", "DesktopNotifications", "MainLoop", "TestSupport"]),
        .testTarget(name: "LineOutputTests", dependencies: ["LineOutput"]),
        .testTarget(name: "AssignedNumbersTests", dependencies: ["AssignedNumbers"]),
        .testTarget(name: "BlueZTests", dependencies: ["BlueZ", "DBus", "MainLoop", "TestSupport"]),
        .testTarget(name: "RestorationProtocolTests", dependencies: ["RestorationProtocol", "TestSupport"]),
        .testTarget(
            name: "RestorationAgentTests",
            dependencies: [
                "CoreBluetooth", "ProgramLaunch", "RestorationAgent", "RestorationProtocol", "TestSupport",
            ]),
        .testTarget(
            name: "CoreBluetoothTests",
            dependencies: [
                "BlueZ", "CoreBluetooth", "DBus", "MainLoop", "RestorationAgent", "RestorationProtocol", "TestSupport",
                deque,
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
                "Bluejay", "BluetoothLab", "CoreBluetooth", "OwnUIKit", "RestorationProtocol", "TestSupport",
                "UIKitStandIns",
            ]),
        .testTarget(name: "DoctorTests", dependencies: ["DBus", "Doctor", "LineOutput", "MainLoop", "TestSupport"]),
        .testTarget(name: "LoopbackHTTPTests", dependencies: ["LoopbackHTTP", "TestSupport"]),
        .testTarget(
            name: "DittojayUITests",
            dependencies: ["Dittojay", "DittojayUI", "GATTProfiles", "LoopbackHTTP", "TestSupport"]),
        .testTarget(
            name: "DittojayTests",
            dependencies: [
                "AssignedNumbers", "BlueZ", "CoreBluetooth", "DBus", "Dittojay", "GATTProfiles", "LineOutput",
                "MainLoop", "TestSupport", "UserFolders", "YAMLText", yams,
            ]),
        .testTarget(
            name: "BluejayCommandTests",
            dependencies: [
                "BlueZ", "Bluejay", "BluejayCommand", "CoreBluetooth", "DBus", "Dittojay", "GATTProfiles", "LineOutput",
                "MainLoop", "ProfileClients", "TestSupport",
            ]),
        .testTarget(name: "ProgramSupportTests", dependencies: ["LineOutput", "ProgramSupport", logging]),
        // The built programs, each in a process of its own.
        .testTarget(name: "ProgramTests", dependencies: ["BluetoothLab", "DBus", "MainLoop", "TestSupport"]),
        .testTarget(name: "BluetoothLabTests", dependencies: ["BluetoothLab"]),
        .testTarget(name: "VirtualRadioTests", dependencies: ["RadioControl", "VirtualRadio", "VirtualRadioCommand"]),
        .testTarget(name: "RadioControlTests", dependencies: ["RadioControl", "RadioScenes", "VirtualRadio"]),
        // scripts/fuzz: no test of its own, and no part of what others get of this package.
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "AssignedNumbers", "BlueZ", "CoreBluetooth", "DBus", "Dittojay", "GATTProfiles", "LineOutput",
                "LoopbackHTTP", "MainLoop", "RadioControl", "RadioScenes", "RestorationAgent", "RestorationProtocol",
                "TestSupport", "VirtualRadio",
            ],
            path: "Tests/Fuzz"),
        // scripts/soak, which runs in the lab: the same holds for it.
        .executableTarget(name: "Soak", dependencies: ["BluetoothLab"], path: "Tests/Soak"),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "BlueZ", "Bluejay", "BluetoothLab", "CoreBluetooth", "DBus", "GATTProfiles", "MainLoop",
                "ProfileClients", "TestSupport", "UserFolders",
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
