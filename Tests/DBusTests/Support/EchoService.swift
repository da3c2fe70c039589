import DBus
import Foundation
import MainLoop
import TestSupport

/// An object that answers with what it is given, and some that answer badly.
@LoopActor
final class EchoService {
    static let name = "org.example.Echo"
    nonisolated static let path = TestSupport.path("/org/example/echo")

    let connection: BusConnection
    /// Calls of `Hold`, which answers when the test does, or lets go of it.
    let held = AwaitedValues<MethodInvocation>()
    private(set) var count = 0

    init(_ bus: PrivateBus) throws {
        connection = try bus.connect()
        let any = [ExportedArgument("value", BusValue.self)]
        try connection.export(
            [
                ExportedInterface(
                    Self.name,
                    methods: [
                        ExportedMethod("Echo", inputs: any, outputs: any) { [weak self] invocation in
                            self?.count += 1
                            invocation.reply(invocation.arguments)
                        },
                        ExportedMethod("Hold") { [weak self] in self?.held.put($0) },
                        ExportedMethod("Drop") { _ in },
                        ExportedMethod("Later") { invocation in
                            Task { @LoopActor in
                                await Task.yield()
                                invocation.reply([.string("later")])
                            }
                        },
                        ExportedMethod("Twice") { invocation in
                            invocation.reply([.string("first")])
                            invocation.reply([.string("second")])
                            invocation.fail(.invalidArguments("third"))
                        },
                        ExportedMethod("BadReply") { $0.reply([.string("zero \0 byte")]) },
                        ExportedMethod("Refuse") {
                            $0.fail(MethodFailure(name: "org.example.Error.No", message: "not today"))
                        },
                        ExportedMethod("RefuseBadly") {
                            $0.fail(MethodFailure(name: "no error name", message: "zero \0 byte"))
                        },
                    ])
            ], at: Self.path)
    }

    func call(_ method: String, _ arguments: [BusValue] = []) -> MethodCall {
        MethodCall(
            destination: connection.uniqueName, path: Self.path, interface: Self.name, method: method,
            arguments: arguments)
    }
}
