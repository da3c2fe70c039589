extension Lab {
    /// Notes something in the record of the running test, for its failure bundle: in `app.log`, in `timeline.txt`, and
    /// between the packets of `hci.btsnoop`.
    public func note(_ text: String) {
        AppLog.shared.add(text.split(separator: "\n").map(String.init), from: "test")
        CaptureNote.write(text)
    }
}
