import DBus
import Testing

@testable import BlueZ

@Suite struct AttributeFlagTests {
    @Test func `flags have the names of BlueZ`() {
        let flags: AttributeFlags = [.read, .writeWithoutResponse, .notify, .encryptWrite]
        #expect(flags.names == ["read", "write-without-response", "notify", "encrypt-write"])
        #expect(AttributeFlags(names: flags.names) == flags)
        #expect(AttributeFlags(rawValue: .max).names.count == Set(AttributeFlags(rawValue: .max).names).count)
    }

    @Test func `names of a newer BlueZ are left out`() {
        #expect(AttributeFlags(names: ["read", "teleport"]) == .read)
    }

    @Test func `on the bus they are names`() {
        #expect(AttributeFlags.busSignature == [String].busSignature)
        #expect(AttributeFlags(busValue: .variant(["indicate"].busValue)) == .indicate)
        #expect(AttributeFlags(busValue: .string("indicate")) == nil)
        #expect(AttributeFlags.read.busValue == ["read"].busValue)
    }

    @Test(arguments: [AttributeFlags.notify, .indicate, .encryptNotify, .encryptIndicate])
    func `each kind of notification allows subscribing`(flag: AttributeFlags) {
        #expect(flag.allowSubscribing)
        #expect(!AttributeFlags([.read, .write, .broadcast]).allowSubscribing)
    }
}
