import MainLoop

/// Keeps the daemons of a test case until it has ended, and then lets go of them on the loop.
///
/// The objects of a daemon do not own what they belong to. If the test's thread let go of a daemon while the loop
/// handles a call of it, the loop would find it gone.
@LoopActor
final class DaemonKeeper {
    @TaskLocal static var current: DaemonKeeper?

    private var slot: Slot?
    private var daemons: [FakeBluetoothd] = []

    nonisolated init() {}

    /// Waits for the turn of the test case, which is one however many daemons it has.
    func takeSlot() async -> Slot {
        if let slot { return slot }
        let taken = await Slot.take()
        slot = taken
        return taken
    }

    func keep(_ daemon: FakeBluetoothd) { daemons.append(daemon) }

    func letGo() {
        daemons = []
        slot = nil
    }
}
