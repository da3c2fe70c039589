import Foundation

/// A file descriptor that is sent or was received over the bus. It is closed when the last reference to it is released,
/// unless it was taken out before.
package final class BusFileDescriptor: Swift.Sendable {
    private let state: MutexBox<Int32?>

    /// Takes over `descriptor`, which the caller must no longer close.
    package init(owning descriptor: Int32) {
        state = MutexBox(descriptor)
    }

    deinit {
        if let descriptor = state.exchange(nil) { close(descriptor) }
    }

    /// Hands the descriptor over to the caller, which has to close it; nil when it was taken before.
    package func take() -> Int32? {
        state.exchange(nil)
    }

    /// The descriptor, for as long as this object lives; nil when it was taken.
    package var rawValue: Int32? { state.value }
}

extension BusFileDescriptor: Hashable {
    package static func == (left: BusFileDescriptor, right: BusFileDescriptor) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
