import Dittojay
import LineOutput

/// The terminal view as lines of text, each of which fits.
struct TopView {
    let width: Int
    let height: Int

    private static let bold = "\u{1B}[1m"
    private static let dim = "\u{1B}[2m"
    private static let plain = "\u{1B}[0m"
    /// Events are shown below in at least this many lines.
    private static let leastEvents = 4

    func lines(_ model: TopModel) -> [String] {
        guard width >= 20, height >= 4 else { return Array(["too small"].prefix(max(height, 0))) }
        var top: [String] = []
        for path in model.absent { top.append(style(Self.dim, "no dittojay is running at \(path)")) }
        for (_, peripheral) in model.peripherals { top += lines(peripheral) }
        let room = height - 1
        let kept = Array(top.prefix(max(room - Self.leastEvents - 1, 1)))
        var lines = kept
        if kept.count < top.count {
            lines[lines.count - 1] = style(Self.dim, "… \(top.count - kept.count + 1) lines more")
        }
        let eventRoom = room - lines.count - 1
        if eventRoom > 0 {
            lines.append(style(Self.bold, "events"))
            lines += model.events.suffix(eventRoom).map { style("", $0) }
        }
        lines += Array(repeating: "", count: max(0, room - lines.count))
        return Array(lines.prefix(room)) + [style(Self.dim, "q ends")]
    }

    private func lines(_ peripheral: TopModel.Peripheral) -> [String] {
        guard let sample = peripheral.sample else { return [style(Self.bold, peripheral.name)] }
        let status = sample.status
        var head = "\(status.name)  \(status.adapter) \(status.address)  "
        head += status.state == "poweredOn" ? (status.isAdvertising ? "advertising" : "not advertising") : status.state
        var lines = [style(Self.bold, head)]
        for characteristic in sample.characteristics { lines.append(line(characteristic, peripheral)) }
        for central in status.centrals {
            var text = "  central \(central.address)"
            if let mtu = central.mtu { text += "  MTU \(mtu)" }
            if let strength = sample.signals[central.address] { text += "  \(strength) dBm" }
            if !central.subscriptions.isEmpty { text += "  \(central.subscriptions.joined(separator: ", "))" }
            lines.append(style("", text))
        }
        if status.centrals.isEmpty { lines.append(style(Self.dim, "  no central is connected")) }
        return lines + [""]
    }

    /// The name, the value, how often it is sent, and its course in what is left of the line.
    private func line(_ characteristic: CharacteristicStatus, _ peripheral: TopModel.Peripheral) -> String {
        let course = peripheral.courses["\(characteristic.service)/\(characteristic.name)"]
        let (name, value, rate) = (min(28, width / 3), min(20, width / 4), 8)
        let isSent = (course?.rate ?? 0) >= 0.05
        var text = "  " + escaped(characteristic.name).fitted(to: name) + " "
        text += escaped(Reading(characteristic).text).fitted(to: value) + " "
        text += (isSent ? fixedPoint(course?.rate ?? 0, places: 1) + "/s" : "").fitted(to: rate)
        text += Sparkline.text(course?.numbers ?? [], width: width - text.columns)
        let line = text.fitted(to: width)
        return characteristic.isPublished ? line : Self.dim + line + Self.plain
    }

    private func style(_ style: String, _ text: String) -> String {
        let line = escaped(text).fitted(to: width)
        return style.isEmpty ? line : style + line + Self.plain
    }

    /// What comes from outside must not act on the terminal.
    private func escaped(_ text: String) -> String { TerminalText.escaped(text) }
}
