import DBus
import Testing

@testable import BlueZ

@Suite struct AttributeFlagTests {
    @Test func flagsHaveTheNamesOfBlueZ() {
        let flags: AttributeFlags = [.read, .writeWithoutResponse, .notify, .encryptWrite]
        #expect(flags.names == ["read", "write-without-response", "notify", "encrypt-write"])
        #expect(AttributeFlags(names: flags.names) == flags)
        #expect(AttributeFlags(rawValue: .max).names.count == Set(AttributeFlags(rawValue: .max).names).count)
    }

    @Test func namesOfANewerBlueZAreLeftOut() {
        #expect(AttributeFlags(names: ["read", "teleport"]) == .read)
    }

    @Test func onTheBusTheyAreNames() {
        #expect(AttributeFlags.busSignature == [String].busSignature)
        #expect(AttributeFlags(busValue: .variant(["indicate"].busValue)) == .indicate)
        #expect(AttributeFlags(busValue: .string("indicate")) == nil)
        #expect(AttributeFlags.read.busValue == ["read"].busValue)
    }

    @Test(arguments: [AttributeFlags.notify, .indicate, .encryptNotify, .encryptIndicate])
    func eachKindOfNotificationAllowsSubscribing(flag: AttributeFlags) {
        #expect(flag.allowSubscribing)
        #expect(!AttributeFlags([.read, .write, .broadcast]).allowSubscribing)
    }
}
