import CDBus
import Foundation
import MainLoop

/// The listeners of signals, and the owners of the names that they listen to.
@LoopActor
final class SignalTable {
    @LoopActor
    final class Listener {
        let rule: MatchRule
        let handler: @LoopActor (BusSignal) -> Void
        var isCancelled = false

        init(_ rule: MatchRule, _ handler: @escaping @LoopActor (BusSignal) -> Void) {
            self.rule = rule
            self.handler = handler
        }
    }

    private let bytes = ByteSignalTable()
    private var listeners: [Listener] = []
    /// The unique names behind the well-known names that rules speak of, and how many watch each name.
    private var owners: [String: (owner: String?, watches: Int)] = [:]

    func add(_ rule: MatchRule, handler: @escaping @LoopActor (BusSignal) -> Void) -> Listener {
        let listener = Listener(rule, handler)
        listeners.append(listener)
        return listener
    }

    func remove(_ listener: Listener) {
        // A signal that is being dispatched may have it still in its list.
        listener.isCancelled = true
        listeners.removeAll { $0 === listener }
    }

    func add(_ listener: ByteSignalTable.Listener) {
        bytes.add(listener, owner: owners[listener.sender]?.owner)
    }

    func remove(_ listener: ByteSignalTable.Listener) {
        bytes.remove(listener)
    }

    func startWatch(of name: String) {
        owners[name, default: (nil, 0)].watches += 1
    }

    func stopWatch(of name: String) {
        guard let known = owners[name] else { return }
        if known.watches > 1 {
            owners[name] = (known.owner, known.watches - 1)
        } else {
            owners[name] = nil
            bytes.setOwner(nil, of: name)
        }
    }

    func setOwner(_ owner: String?, of name: String) {
        guard owners[name] != nil else { return }
        owners[name]?.owner = owner
        bytes.setOwner(owner, of: name)
    }

    /// Hands over the value of a property that is an array of bytes.
    ///
    /// - Returns: whether the message was that.
    func dispatchBytes(_ message: OpaquePointer) -> Bool {
        bytes.dispatch(message)
    }

    func dispatch(_ message: RawMessage) {
        if dispatchBytes(message.pointer) { return }
        // The arguments are read when the rest of the message is known to be wanted.
        var signal = BusSignal(
            sender: message.sender, path: message.path, interface: message.interface ?? "", member: message.member,
            arguments: [])
        var isRead = false
        for listener in listeners where !listener.isCancelled {
            let rule = listener.rule
            guard rule.matchesHeader(of: signal, owner: owner(of: rule)) else { continue }
            if !isRead {
                guard let arguments = try? message.arguments() else { return }
                signal.arguments = arguments
                isRead = true
            }
            if rule.matchesArguments(of: signal) { listener.handler(signal) }
        }
    }

    private func owner(of rule: MatchRule) -> String? {
        rule.sender.flatMap { owners[$0]?.owner }
    }
}
