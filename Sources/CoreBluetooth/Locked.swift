import Synchronization

/// Values that any thread may read and change, one at a time.
///
/// Apple's objects can be used on any thread, and so can this module's: a program may look at an object or call it
/// while the manager's queue changes it.
// A class: as a structure that cannot be copied, in a class of another file, it makes Swift 6.3.1 stop with a broken
// module.
final class Locked<Values>: Swift.Sendable {
    /// Lets values pass the mutex that are not Sendable.
    // @unchecked: what it carries is only touched while the mutex is held, and what leaves that is a copy. A reference
    // in it leads to an object that is Sendable by itself, or to the program's own delegate or value, which are the
    // program's to protect.
    private struct Carrier<Content>: @unchecked Swift.Sendable {
        var content: Content
    }

    private let mutex: Mutex<Carrier<Values>>

    init(_ values: Values) {
        mutex = Mutex(Carrier(content: values))
    }

    /// Reads or changes the values. `body` must not use the object again that owns them.
    func withLock<Result>(_ body: (inout Values) -> Result) -> Result {
        mutex.withLock { Carrier(content: body(&$0.content)) }.content
    }

    /// Stores `value` where `exchange` swaps it in. What was there is released after the lock: its end may run the
    /// program's code.
    func store<Value>(_ value: Value, _ exchange: (inout Values, inout Value) -> Void) {
        var other = value
        withLock { exchange(&$0, &other) }
    }
}
