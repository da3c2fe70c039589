import Foundation

/// A capture, read from its beginning to its end: of any format, and in memory only a piece at a time.
package struct CaptureFile {
    private var stream: ByteStream
    private var format: any RecordFormat
    /// How many packets were read.
    package private(set) var count = 0
    /// Why reading ended before the end of the file; nil if it did not.
    package private(set) var remark: String?
    private var hasEnded = false
    /// Begins again; nil if the file can be read only once, such as a pipe.
    let rewind: () throws(CaptureError) -> CaptureFile?

    /// How many bytes are read at a time.
    private static let chunkLength = 1 << 18

    /// - Parameters:
    ///   - source: gives the file's next bytes; none at the end.
    ///   - rewind: opens the file again; nil if it can be read only once.
    package init(
        source: @escaping () throws(CaptureError) -> [UInt8],
        rewind: @escaping () throws(CaptureError) -> CaptureFile? = { () throws(CaptureError) -> CaptureFile? in nil }
    ) throws(CaptureError) {
        self.rewind = rewind
        stream = ByteStream(source)
        let begin = try stream.peek(16)
        if begin.isEmpty { throw .empty }
        if begin.starts(with: BtsnoopFile.magic) {
            format = try BtsnoopFile(&stream)
        } else if begin.starts(with: PcapngFile.magic) {
            format = PcapngFile()
        } else if let form = PcapFile.form(begin) {
            format = try PcapFile(&stream, form)
        } else if let file = PacketLoggerFile(begin) {
            format = file
        } else {
            throw .unknownFormat
        }
    }

    /// A capture that is in memory.
    package init(bytes: [UInt8]) throws(CaptureError) {
        var rest = bytes[...]
        try self.init(
            source: { () throws(CaptureError) -> [UInt8] in
                defer { rest = rest.dropFirst(Self.chunkLength) }
                return Array(rest.prefix(Self.chunkLength))
            }, rewind: { () throws(CaptureError) -> CaptureFile? in try CaptureFile(bytes: bytes) })
    }

    package init(path: String) throws(CaptureError) {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw .unreadable(String(cString: strerror(errno)))
        }
        try self.init(handle)
    }

    private init(_ handle: FileHandle) throws(CaptureError) {
        try self.init(
            source: { () throws(CaptureError) -> [UInt8] in
                do {
                    return try handle.read(upToCount: Self.chunkLength).map { [UInt8]($0) } ?? []
                } catch {
                    throw .unreadable(error.localizedDescription)
                }
            },
            rewind: { () throws(CaptureError) -> CaptureFile? in
                guard (try? handle.seek(toOffset: 0)) != nil else { return nil }
                return try CaptureFile(handle)
            })
    }

    /// For people: `btsnoop (HCI H4)`.
    package var formatName: String { format.name }

    /// The next packet; nil at the end.
    mutating func next() throws(CaptureError) -> CaptureRecord? {
        guard !hasEnded else { return nil }
        switch try format.next(&stream) {
        case .record(var record):
            count += 1
            record.number = count
            record.time = min(max(record.time, 0), CaptureRecord.possibleTimes.upperBound)
            return record
        case .end(let remark):
            hasEnded = true
            self.remark = remark.map { "\($0), after packet \(count)" }
            return nil
        }
    }
}
