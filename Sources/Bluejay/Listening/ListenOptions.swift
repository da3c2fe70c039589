/// Whether a blocking listen continues after a value.
public enum ListenAction: Swift.Sendable {
    /// Wait for the next value.
    case keepListening
    /// End the listen and return.
    case done
}

/// What happens to a second listen to the same characteristic. The option of the first listen decides.
public enum MultipleListenOption: Int, Swift.Sendable {
    /// The new listen is refused with ``BluejayError/multipleListenTrapped``.
    case trap
    /// The new listen replaces the old one, which ends with ``BluejayError/multipleListenReplaced``.
    case replaceable
}

/// Receives the raw values of a listen.
public typealias ListenCallback = (ReadResult<Data?>) -> Void
