/// Whether a blocking listen goes on after a value.
public enum ListenAction: Swift.Sendable {
    /// Wait for the next value.
    case keepListening
    /// End the listen and return.
    case done
}

/// What happens when a characteristic that is listened to is listened to again. The option of the first listen decides.
public enum MultipleListenOption: Int, Swift.Sendable {
    /// The new listen is refused with ``BluejayError/multipleListenTrapped``.
    case trap
    /// The new listen takes over, and the old one is told ``BluejayError/multipleListenReplaced``.
    case replaceable
}

/// Receives the raw values of a listen.
public typealias ListenCallback = (ReadResult<Data?>) -> Void
