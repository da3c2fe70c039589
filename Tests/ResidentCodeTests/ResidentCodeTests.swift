import Foundation
import Testing

@testable import ResidentCode

@Suite struct ResidentCodeTests {
    @Test(arguments: [
        ("00200000-00a40000 r--p 00000000 08:01 123 /usr/bin/dittojay\n", 0x200000, 0x840000),
        ("7f0000001000-7f0000003000 r-xp 00028000 08:01 9 /usr/lib/a b.so\n", 0x7f00_0000_1000, 0x2000),
    ])
    func codeAndConstantsAreFound(line: String, start: Int, length: Int) throws {
        let range = try #require(ResidentCode.addresses(ofCode: line))
        #expect(Int(bitPattern: range.start) == start)
        #expect(range.length == length)
    }

    /// Above all what may have been written to: that would be lost.
    @Test(arguments: [
        "00a40000-00b00000 rw-p 00840000 08:01 123 /usr/bin/dittojay\n",
        "00b00000-00c00000 r--p 00900000 08:01 123 /usr/bin/dittojay\n",
        "00c00000-00d00000 rwxp 00000000 08:01 123 /usr/bin/dittojay\n",
        "7f0000000000-7f0000001000 r--s 00000000 08:01 5 /usr/share/cache\n",
        "7f0000000000-7f0000001000 r-xp 00000000 00:00 0 \n",
        "7fff00000000-7fff00001000 r-xp 00000000 00:00 0 [vdso]\n",
        "7f0000001000-7f0000001000 r-xp 00000000 08:01 9 /usr/lib/a.so\n",
        "", "\n", "-", "zz-zz r-xp 0 /", "00200000", "00200000-", "00200000 r-xp /",
    ])
    func nothingElseIs(line: String) {
        #expect(ResidentCode.addresses(ofCode: line) == nil)
    }

    @Test func theProgramsOwnCodeIsAmongThem() throws {
        // Not `String(contentsOfFile:)`, which takes the first page of such a file for all of it.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        let maps = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
        let code = maps.split(separator: "\n").compactMap { ResidentCode.addresses(ofCode: String($0)) }
        let here = try #require(dlsym(nil, "fopen"))
        #expect(code.contains { $0.start <= here && here < $0.start + $0.length })
    }

    @Test func whatIsUnmappedCountsNoLongerAndComesBackWhenItIsUsed() throws {
        let before = try residentFilePages()
        ResidentCode.unmap()
        let after = try residentFilePages()
        #expect(after < before / 2)
        #expect([3, 1, 2].sorted().map(String.init).joined(separator: " ") == "1 2 3")
    }

    /// Kilobytes of files that this process has mapped: RssFile of proc(5).
    private func residentFilePages() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(Int(line.filter(\.isNumber)))
    }
}
