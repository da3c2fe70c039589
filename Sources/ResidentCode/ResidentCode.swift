import Foundation

/// The pages of code and constants that a process has mapped: of its program and of its libraries.
///
/// They are nine tenths of what the programs of this package have resident. Linux maps 64 KB around each page that is
/// used, and keeps them mapped for as long as nobody else needs the memory, so what only the start needs stays to the end.
public enum ResidentCode {
    /// Unmaps them all. What is used again is mapped again, from the kernel's page cache, at the price of a page fault
    /// each 64 KB. To be called when a part of a program's work is done that does not come again soon.
    ///
    /// Does nothing in debug builds: a debugger's breakpoints are in such pages, and would be lost.
    public static func release() {
        #if !DEBUG
            unmap()
        #endif
    }

    static func unmap() {
        guard let maps = fopen("/proc/self/maps", "re") else { return }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer {
            free(line)
            fclose(maps)
        }
        while getline(&line, &capacity, maps) > 0 {
            guard let line, let range = addresses(ofCode: line) else { continue }
            madvise(range.start, range.length, Int32(MADV_DONTNEED))
        }
    }

    /// The addresses of a line of /proc/self/maps (proc(5)), if it is about code or constants: private mappings of a file
    /// that can be executed, or are read-only from the file's first byte. Nobody can have written to either. Other
    /// read-only mappings may have been written to before they became that: relocated data.
    static func addresses(ofCode line: UnsafePointer<CChar>) -> (start: UnsafeMutableRawPointer, length: Int)? {
        // START-END PERMISSIONS OFFSET DEVICE INODE PATH
        var end: UnsafeMutablePointer<CChar>?
        let first = strtoul(line, &end, 16)
        guard let dash = end, dash.pointee == UInt8(ascii: "-") else { return nil }
        let last = strtoul(dash + 1, &end, 16)
        guard let space = end, strchr(space, Int32(UInt8(ascii: "/"))) != nil else { return nil }
        let isCode = strncmp(space, " r-xp ", 6) == 0
        let isConstant = strncmp(space, " r--p ", 6) == 0 && strtoul(space + 6, nil, 16) == 0
        guard isCode || isConstant, first < last, let start = UnsafeMutableRawPointer(bitPattern: first) else {
            return nil
        }
        return (start, Int(last - first))
    }
}
