/// A number and what it counts, in the singular or the plural: `1 write`, `2 writes`, `0 centrals`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}
