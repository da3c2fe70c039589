/// Transfers a value to another queue.
///
/// The API's closures are not `@Sendable`, as programs written for Bluejay expect. Bluejay promises on which queue it
/// calls them; what they do there is up to the program.
// @unchecked: the sender does not use the value after the transfer.
struct UncheckedTransfer<Value>: @unchecked Swift.Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
