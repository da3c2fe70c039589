/// What the owner of a ``LinkMachine`` has to do after an event.
///
/// Effects are carried out in their order. Some call the program back, and what the program does then may bring the
/// next event before the remaining effects are carried out.
enum LinkEffect<Attempt, Connection> {
    // Requests to the system

    /// Ask the system to connect.
    case connect(Attempt)
    /// Ask the system to give up an attempt, and wait for its confirmation.
    case cancelAttempt(Attempt)
    /// Ask the system to disconnect, and wait for its confirmation.
    case cancelConnection(Connection)
    /// Let go of the connection, if there was one, and stop waiting for a confirmation.
    case release(Connection?)

    // Listeners and other waits

    /// Report an error to the connection's listeners if the program wants that.
    case broadcast(any Error, Connection)
    /// End the sequences that the connection's listeners feed.
    case endListeners(any Error, Connection)
    /// Fail the calls that wait for a signal strength.
    case failSignalStrengthReads(any Error)
    /// Fail what a background task waits for outside the queue.
    case interruptTask(any Error)

    // Operations

    /// The attempt has succeeded.
    case completeAttempt(Attempt)
    /// The attempt has failed: take it out of the queue. ``reportFailure(of:_:)`` follows.
    case closeAttempt(Attempt)
    /// Take the disconnect that was running out of the queue. ``completeDisconnect(_:)`` follows.
    case closeDisconnect
    /// Fail every operation in the queue.
    case failOperations(any Error)
    /// Fail the operations that waited behind a cancelled attempt.
    case failPendingFailures
    /// Fail the operations that need the connection.
    case failOperationsOnConnection(any Error)
    /// Fail the scan, every other operation, and everything else that waits.
    ///
    /// - Parameter atOnce: do not wait for the system to confirm anything.
    case failEverything(any Error, atOnce: Bool)

    // Reports to the program

    /// Report the connection to the observers, unless it has ended meanwhile.
    case reportConnected(Connection)
    /// Report the end to the connection observers.
    case reportDisconnected(PeripheralIdentifier)
    /// Ask the disconnect handler; its answer is an event.
    case askHandler(PeripheralIdentifier, (any Error)?)
    /// Call the completion of the disconnect, if there is one.
    case completeDisconnect(DisconnectionResult)
    /// Call the completion of an attempt that was closed.
    case reportFailure(of: Attempt, any Error)

    // What comes next

    /// Queue a new connection to the same peripheral.
    case reconnect(PeripheralIdentifier, Timeout)
    /// Give the step back to the machine, now that the effects before it have been carried out.
    case resume(LinkStep<Connection>)
    /// Log a message.
    case log(String)
}

/// A transition that a ``LinkMachine`` makes only after the program has been called back.
enum LinkStep<Connection> {
    /// Disconnect the connection whose operations have been cancelled.
    case disconnect(Connection, any Error)
    /// Disconnect the connection whose end was requested, now that its operations have failed.
    case drop(Connection)
    /// Bluetooth is off, and the listeners have ended: release the link.
    case release(hadBluetooth: Bool)
    /// Everything has been cancelled: stop.
    case stop
    /// The link has been released, and its end has been reported.
    case settle
    /// The clean-up after the end of a link is done.
    case finish(PeripheralIdentifier)
}
