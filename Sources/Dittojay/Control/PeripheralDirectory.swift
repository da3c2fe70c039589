import Foundation
import MainLoop

/// The running peripherals behind one control socket. It finds the one that a request is for. Used on one queue only.
final class PeripheralDirectory {
    private struct Entry {
        weak var peripheral: VirtualPeripheral?
    }

    private var entries: [Entry] = []
    private var server: ControlServer?

    /// The path of the control socket; nil where there is none.
    private(set) var socket: String?

    /// Starts to listen for requests.
    ///
    /// - Throws: ``DittojayError/alreadyRunning(socket:)``, ``DittojayError/controlSocket(_:)``.
    func listen(at address: ControlSocketAddress, clock: any Clock) throws(DittojayError) {
        let server = try ControlServer(address, clock: clock) { [weak self] request, reply in
            self?.perform(request, reply: reply)
        }
        server.peripheralID = { [weak self] name throws(DittojayError) in try self?.peripheral(name).identifier ?? name
        }
        self.server = server
        socket = address.path
    }

    /// Stops to listen; the peripherals go on.
    func stop() {
        server?.stop()
        server = nil
    }

    /// The peripherals that run, in the order in which they were added.
    private var peripherals: [VirtualPeripheral] { entries.compactMap(\.peripheral) }

    func add(_ peripheral: VirtualPeripheral) {
        entries.append(Entry(peripheral: peripheral))
        if let server { peripheral.addSubscribers(server) }
    }

    /// Removes a peripheral that is about to end. After the last one there is nobody to ask.
    func remove(_ peripheral: VirtualPeripheral) {
        entries.removeAll { $0.peripheral === peripheral }
        if entries.isEmpty { stop() }
    }

    func perform(_ request: AddressedRequest, reply: @escaping (ControlReply) -> Void) {
        switch request.request {
        case .version: reply(.version)
        case .peripherals:
            var answer = ControlReply()
            answer.peripherals = peripherals.map(\.listing)
            reply(answer)
        case .quit where request.peripheral == nil:
            reply(ControlReply())
            for peripheral in peripherals { peripheral.stop() }
        default:
            do throws(DittojayError) {
                try peripheral(request.peripheral).perform(request.request, reply: reply)
            } catch {
                reply(ControlReply(error: error.description))
            }
        }
    }

    /// - Parameter name: an id, a controller's name or address, or an advertised name; nil for the only one.
    private func peripheral(_ name: String?) throws(DittojayError) -> VirtualPeripheral {
        let all = peripherals
        guard let name else {
            guard let only = all.first, all.count == 1 else {
                throw .refused(
                    all.isEmpty
                        ? "no peripheral is running"
                        : "several peripherals are running; specify one of \(Self.list(all))")
            }
            return only
        }
        if let exact = all.first(where: { $0.identifier == name }) ?? all.first(where: { $0.isOn(controller: name) }) {
            return exact
        }
        let named = all.filter { $0.localName == name }
        guard let found = named.first else {
            throw .refused("unknown peripheral \"\(name.prefix(40))\"; valid: \(Self.list(all))")
        }
        guard named.count == 1 else {
            throw .refused("ambiguous peripheral \"\(name)\"; specify one of \(Self.list(named))")
        }
        return found
    }

    private static func list(_ peripherals: [VirtualPeripheral]) -> String {
        peripherals.map(\.identifier).joined(separator: ", ")
    }
}
