import CoreBluetooth
import GATTProfiles

/// The User Data Service (181C). Specification: User Data Service 1.1.
enum UserData {
    static let service = "181C"
    static let firstName = "2A8A"
    static let age = "2A80"
    static let gender = "2A8C"
    static let weight = "2A98"
    static let height = "2A8E"
    static let databaseChangeIncrement = "2A99"
    static let userIndex = "2A9A"
    static let controlPoint = "2A9F"

    /// ATT error: the user has not consented.
    static let accessNotPermitted: UInt8 = 0x80
    static let unknownUser: UInt8 = 0xFF
    /// The consent code of the user who is there from the start, whose index is 0.
    static let firstConsentCode: UInt16 = 1234
    static let consentCodes: ClosedRange<UInt16> = 0...9999

    static let characteristics: [CharacteristicProfile] =
        [
            personal(firstName, 0...64), personal(age, 1...1), personal(gender, 1...1), personal(weight, 2...2),
            personal(height, 2...2), .simulated(userIndex, .read), .controlPoint(controlPoint),
        ] + [increment]

    private static func personal(_ uuid: String, _ lengths: ClosedRange<Int>) -> CharacteristicProfile {
        var profile = CharacteristicProfile.simulated(uuid, [.read, .write])
        profile.writes?.lengths = lengths
        return profile
    }

    private static var increment: CharacteristicProfile {
        var profile = CharacteristicProfile.simulated(databaseChangeIncrement, [.read, .write, .notify])
        profile.writes?.lengths = 4...4
        return profile
    }

    /// User Control Point.
    enum OpCode {
        static let registerNewUser: UInt8 = 1
        static let consent: UInt8 = 2
        static let deleteUserData: UInt8 = 3
        static let response: UInt8 = 0x20
    }

    enum Result {
        static let success: UInt8 = 1
        static let opCodeNotSupported: UInt8 = 2
        static let invalidParameter: UInt8 = 3
        static let operationFailed: UInt8 = 4
        static let userNotAuthorized: UInt8 = 5
    }
}

extension UserData {
    /// Several users, one of whom may have consented that their data are read and written.
    final class Model: ServiceModel {
        static let maximumUsers = 8
        private static let unknown: [String: [UInt8]] = [
            UserData.firstName: [], UserData.age: [0], UserData.gender: [2], UserData.weight: [0, 0],
            UserData.height: [0, 0], UserData.databaseChangeIncrement: [0, 0, 0, 0],
        ]

        private struct User {
            let consentCode: UInt16
            var values = Model.unknown
        }

        private var users: [User]
        /// Who has consented.
        private var current: Int?
        private var point = ControlPoint(
            UserData.controlPoint, responseCode: OpCode.response, errors: .common)

        init(_ setup: ModelSetup) {
            var generator = SeededGenerator(seed: setup.seed)
            func between(_ low: Int, _ high: Int) -> Int { low + Int(generator.unit() * Double(high - low + 1)) }
            var user = User(consentCode: UserData.firstConsentCode)
            user.values[UserData.firstName] = Array("Robin".utf8)
            user.values[UserData.age] = [UInt8(between(20, 70))]
            user.values[UserData.gender] = [UInt8(between(0, 2))]
            // In 0.005 kg and in centimetres.
            user.values[UserData.weight] = NumberType.bytes(of: UInt16(between(55, 95) * 200))
            user.values[UserData.height] = NumberType.bytes(of: UInt16(between(155, 195)))
            users = [user]
        }

        // MARK: Values

        func value(of uuid: String) throws(CBATTError) -> [UInt8]? {
            if uuid == UserData.userIndex { return [current.map { UInt8($0) } ?? UserData.unknownUser] }
            guard let current else { throw CBATTError(attError: UserData.accessNotPermitted) }
            return users[current].values[uuid]
        }

        func write(_ value: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError) {
            if uuid == UserData.controlPoint { return try request(value, by: client) }
            guard let current else { throw CBATTError(attError: UserData.accessNotPermitted) }
            users[current].values[uuid] = value
        }

        // MARK: Control point

        private func request(_ request: [UInt8], by client: ModelClient) throws(CBATTError) {
            guard let code = request.first else { throw CBATTError(.invalidAttributeValueLength) }
            try point.begin(client)
            let parameter = Array(request.dropFirst())
            switch (code, parameter.count) {
            case (OpCode.registerNewUser, 2):
                let consentCode = Self.word(parameter)
                guard UserData.consentCodes.contains(consentCode) else {
                    return point.respond(to: code, Result.invalidParameter)
                }
                guard users.count < Self.maximumUsers else { return point.respond(to: code, Result.operationFailed) }
                users.append(User(consentCode: consentCode))
                point.respond(to: code, Result.success, [UInt8(users.count - 1)])
            case (OpCode.consent, 3):
                consent(Int(parameter[0]), Self.word(Array(parameter[1...])))
            case (OpCode.deleteUserData, 0):
                guard let current else { return point.respond(to: code, Result.userNotAuthorized) }
                users[current].values = Self.unknown
                point.respond(to: code, Result.success)
                point.send([0, 0, 0, 0], on: UserData.databaseChangeIncrement)
            case (OpCode.registerNewUser, _), (OpCode.consent, _), (OpCode.deleteUserData, _):
                point.respond(to: code, Result.invalidParameter)
            default: point.respond(to: code, Result.opCodeNotSupported)
            }
        }

        private func consent(_ index: Int, _ consentCode: UInt16) {
            guard users.indices.contains(index), UserData.consentCodes.contains(consentCode) else {
                return point.respond(to: OpCode.consent, Result.invalidParameter)
            }
            guard users[index].consentCode == consentCode else {
                return point.respond(to: OpCode.consent, Result.userNotAuthorized)
            }
            current = index
            point.respond(to: OpCode.consent, Result.success)
        }

        private static func word(_ bytes: [UInt8]) -> UInt16 { UInt16(bytes[0]) | UInt16(bytes[1]) << 8 }

        func nextMessage() -> ModelMessage? { point.next() }

        /// Consent lasts as long as the connection.
        func unsubscribed(from uuid: String) {
            guard uuid == UserData.controlPoint else { return }
            point.cancel()
            current = nil
        }
    }
}
