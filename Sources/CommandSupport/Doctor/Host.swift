import DBus
import Foundation

extension Doctor {
    /// The machine that is examined, except for what is seen over the bus. Tests put a folder and a bus of their own in
    /// its place.
    package struct Host: Swift.Sendable {
        /// The prefix of every path; empty for this machine.
        package var root: String
        /// Where the system bus is.
        package var busAddress: String
        /// Whether the environment has moved the bus to ``busAddress``.
        package var isBusAddressGiven: Bool
        /// The user who runs the program.
        package var user: User
        /// The kernel's release, as `uname -r` prints it.
        package var kernelRelease: String
        /// The error number of opening a Bluetooth socket; 0 if it succeeded.
        package var bluetoothSocketError: Int32

        /// A user who may or may not talk to bluetoothd.
        package struct User: Hashable, Swift.Sendable {
            package var name: String
            package var number: UInt32
            /// The numbers of the groups that the process belongs to, without those that were added since its login.
            package var groups: Set<UInt32>

            package init(name: String, number: UInt32, groups: Set<UInt32>) {
                self.name = name
                self.number = number
                self.groups = groups
            }
        }

        package init(
            root: String, busAddress: String, isBusAddressGiven: Bool = false,
            user: User = User(name: "root", number: 0, groups: [0]), kernelRelease: String = "",
            bluetoothSocketError: Int32 = 0
        ) {
            self.root = root
            self.busAddress = busAddress
            self.isBusAddressGiven = isBusAddressGiven
            self.user = user
            self.kernelRelease = kernelRelease
            self.bluetoothSocketError = bluetoothSocketError
        }

        /// This machine and this process.
        package static var current: Host {
            Host(
                root: "", busAddress: BusConnection.systemAddress,
                isBusAddressGiven: ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] != nil,
                user: currentUser(), kernelRelease: currentKernelRelease(), bluetoothSocketError: openBluetoothSocket())
        }

        private static func currentUser() -> User {
            var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
            let count = getgroups(Int32(groups.count), &groups)
            let name = getpwuid(geteuid()).flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
            return User(
                name: name ?? "user \(geteuid())", number: geteuid(),
                groups: Set(groups.prefix(max(0, Int(count))) + [getegid()]))
        }

        private static func currentKernelRelease() -> String {
            var name = utsname()
            guard uname(&name) == 0 else { return "" }
            return withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }

        /// Every user may open L2CAP sockets, so this fails only where there is no Bluetooth at all.
        private static func openBluetoothSocket() -> Int32 {
            let (bluetooth, l2cap) = (Int32(31), Int32(0))
            let descriptor = socket(bluetooth, Int32(SOCK_SEQPACKET.rawValue), l2cap)
            guard descriptor >= 0 else { return errno }
            close(descriptor)
            return 0
        }
    }
}

// MARK: - Files

extension Doctor.Host {
    func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    /// A file's text without the white space around it; nil if it cannot be read.
    func text(of path: String) -> String? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: root + path)) else { return nil }
        return String(decoding: data, as: UTF8.self).trimmed
    }

    /// The names in a folder, in order; none if it cannot be read.
    func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
    }

    /// Where a symbolic link points to.
    func link(at path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: root + path)
    }

    /// The first of some paths that exists.
    func first(of paths: [String]) -> String? { paths.first(where: exists) }

    /// What a program prints with `--version`.
    func version(of program: String) -> String? {
        let quoted = "'" + (root + program).replacingOccurrences(of: "'", with: "'\\''") + "'"
        guard let output = popen("timeout 5 \(quoted) --version 2>/dev/null", "r") else { return nil }
        defer { pclose(output) }
        var line = [CChar](repeating: 0, count: 200)
        guard fgets(&line, Int32(line.count), output) != nil else { return nil }
        return String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).trimmed
    }
}

// MARK: - What kind of machine it is

extension Doctor.Host {
    /// Whether this is a container: then bluetoothd and its settings are on the host. If the kernel's own threads can
    /// be seen, it is a machine, whatever files it may share with a container.
    var isContainer: Bool {
        (exists("/.dockerenv") || exists("/run/.containerenv")) && text(of: "/proc/2/comm") != "kthreadd"
    }

    /// Whether systemd manages the services here.
    var hasSystemd: Bool { exists("/run/systemd/system") }

    /// The command that does something to a service.
    func service(_ action: String, _ name: String) -> String {
        hasSystemd ? "sudo systemctl \(action) \(name)" : "sudo service \(name) \(action)"
    }

    /// The processes of bluetoothd that are alive.
    var bluetoothProcesses: [Int] {
        names(in: "/proc").compactMap(Int.init).sorted().filter { process in
            guard text(of: "/proc/\(process)/comm") == "bluetoothd" else { return false }
            // "PID (NAME) STATE …"; a zombie waits for its parent only.
            let state = text(of: "/proc/\(process)/stat")?.components(separatedBy: ") ").last?.first
            return state != "Z"
        }
    }

    /// Where distributions put bluetoothd.
    static let bluetoothdPaths = [
        "/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/sbin/bluetoothd",
    ]
}
