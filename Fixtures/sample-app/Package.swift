// swift-tools-version: 6.1
import PackageDescription

// A package like yours: a small program for Bluetooth, and tests of it that run in the lab.
let package = Package(
    name: "sample-app",
    dependencies: [.package(name: "bluejay-linux", path: "../..")],
    targets: [
        .target(name: "HeartRateLog", dependencies: [.product(name: "Bluejay", package: "bluejay-linux")]),
        .executableTarget(name: "heart-rate-log", dependencies: ["HeartRateLog"]),
        .testTarget(
            name: "HeartRateLogTests",
            dependencies: [
                "HeartRateLog", "heart-rate-log", .product(name: "BluetoothLab", package: "bluejay-linux"),
            ]),
    ]
)
