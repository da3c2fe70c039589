import ArgumentParser
import CoreBluetooth
import GATTProfiles
import PlainText

/// The arguments of a command about one characteristic, or one descriptor.
struct CharacteristicOptions: ParsableArguments {
    @OptionGroup var target: DeviceOptions

    @Argument(
        help: ArgumentHelp(
            "SERVICE/CHARACTERISTIC, CHARACTERISTIC or SERVICE/CHARACTERISTIC/DESCRIPTOR, or a handle as @002a.",
            discussion: "Each part is a UUID or a name; 180F#2/2A19 and 180F/2A19#2 name the second of its kind."))
    var characteristic: String

    func validate() throws {
        guard AttributeSelector(characteristic) != nil else {
            throw ValidationError(
                "\(characteristic) is not SERVICE/CHARACTERISTIC, CHARACTERISTIC, SERVICE/CHARACTERISTIC/DESCRIPTOR "
                    + "or @HANDLE")
        }
    }

    /// Connects, finds the attribute and asks for something of it, as ``CommandContext/ask(_:answerTimeout:_:)`` does.
    @MainActor
    func ask<Answer>(
        _ context: CommandContext, answerTimeout: Double,
        _ request: (DeviceConnection, ValueAttribute) async throws -> Answer
    ) async throws -> Answer {
        guard let selector = AttributeSelector(characteristic) else {
            throw CommandError(.noSuchCharacteristic, characteristic)
        }
        return try await context.ask(target, answerTimeout: answerTimeout) { connection in
            try await request(connection, connection.table.find(selector, of: target.device))
        }
    }
}

extension DeviceConnection {
    /// Adds the attribute to an object.
    func add(_ target: ValueAttribute, to object: inout JSONObject) {
        object.add("characteristic", table.path(of: target))
        object.add("handle", target.attribute.handle.map(AttributeSelector.digits(ofHandle:)))
        object.add("name", target.attribute.uuid.name)
    }
}
