/// The actor of everything that runs on the main loop; its executor is ``MainLoop/shared``.
@globalActor
package actor LoopActor {
    package static let shared = LoopActor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        MainLoop.shared.asUnownedSerialExecutor()
    }

    /// Runs `operation` as part of this actor; the caller must be on the loop's thread (a C callback of GLib or
    /// libdbus).
    package static func assumeIsolated<T>(
        _ operation: @LoopActor () throws -> T, file: StaticString = #fileID, line: UInt = #line
    ) rethrows -> T {
        precondition(MainLoop.shared.isCurrent, "this must run on the main loop", file: file, line: line)
        // The isolation is a matter of the type system only; the check above is what it stands for.
        return try withoutActuallyEscaping(operation) { operation in
            try unsafeBitCast(operation, to: (() throws -> T).self)()
        }
    }
}
