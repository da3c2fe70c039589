/// Undoes something when it is cancelled or released.
@LoopActor
package final class Registration {
    private var undo: (@LoopActor () -> Void)?

    package init(_ undo: @escaping @LoopActor () -> Void) {
        self.undo = undo
    }

    isolated deinit {
        undo?()
    }

    /// Does nothing the second time.
    package func cancel() {
        let undo = undo
        self.undo = nil
        undo?()
    }

    /// Makes the registration last: neither cancelling nor releasing it undoes anything any longer.
    package func keep() {
        undo = nil
    }
}
