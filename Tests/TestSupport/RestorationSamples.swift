package import CoreBluetooth
import Foundation

extension UUID {
    package var short: String { String(uuidString.suffix(1)) }
    package static func numbered(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
    }
}

extension AppRegistration {
    package static func app(
        _ identifier: String = "heart", isResuming: Bool = false, role: Role = .central
    ) -> AppRegistration {
        AppRegistration(
            program: "/bin/app", identifier: identifier, command: ["/bin/app", "run"], folder: "/",
            environment: ["PATH": "/bin"], isResuming: isResuming, role: role)
    }
}

extension CharacteristicKey {
    package static let chirp = CharacteristicKey(service: "s1", characteristic: "c1", path: "service0010/char0011")
    package static let rate = CharacteristicKey(service: "s2", characteristic: "c2", path: "service0020/char0021")
}
