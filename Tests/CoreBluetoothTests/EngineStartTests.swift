import BlueZ
import DBus
import Dispatch
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

/// An app may ask for something in the moment in which it has the first state: its manager has an engine by then,
/// although the thread that makes the manager may be the slower one.
@Suite(.timeLimit(.minutes(5)))
struct EngineStartTests {
    /// A bus that cannot be reached, and notes the attempts.
    @LoopActor
    private final class NoBus {
        var isTried = false

        func connect() throws(BusError) -> BusConnection {
            isTried = true
            throw .disconnected(call: "none")
        }
    }

    private let idleQueue = DispatchQueue(label: "idle", attributes: .initiallyInactive)

    @LoopActor
    private func session(on bus: NoBus) -> BlueZSession {
        BlueZSession { () throws(BusError) in try bus.connect() }
    }

    private func check(_ bus: NoBus, isTriedBy start: () -> Void, notBefore other: NoBus) async throws {
        try await eventually("a start") { other.isTried }
        #expect(await !bus.isTried)
        start()
        try await eventually("a start") { bus.isTried }
        idleQueue.activate()
    }

    @Test func `the central role begins nothing before it is started`() async throws {
        let (idle, bus) = (NoBus(), NoBus())
        let manager = CBCentralManager(delegate: nil, queue: idleQueue, session: await session(on: NoBus()))
        let engine = BlueZCentralEngine(manager: manager, agent: AgentAccess(), session: await session(on: bus))
        // What begins after it has begun.
        let next = CBCentralManager(delegate: nil, queue: idleQueue, session: await session(on: idle))
        try await check(bus, isTriedBy: engine.start, notBefore: idle)
        withExtendedLifetime((manager, next)) {}
    }

    @Test func `the peripheral role begins nothing before it is started`() async throws {
        let (idle, bus) = (NoBus(), NoBus())
        let manager = CBPeripheralManager(delegate: nil, queue: idleQueue, session: await session(on: NoBus()))
        let engine = BlueZPeripheralEngine(manager: manager, session: await session(on: bus))
        let next = CBPeripheralManager(delegate: nil, queue: idleQueue, session: await session(on: idle))
        try await check(bus, isTriedBy: engine.start, notBefore: idle)
        withExtendedLifetime((manager, next)) {}
    }
}
