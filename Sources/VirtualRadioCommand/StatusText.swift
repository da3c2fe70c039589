import PlainText
import RadioControl

/// Replies and events as people read them.
enum StatusText {
    static func text(_ reply: DataNode) -> String {
        var lines = ["air: \(reply["air"]?.text ?? ""), \(seconds(reply["time_ms"])) since the radio began"]
        if let time = reply["scene_ms"] { lines[0] += ", \(seconds(time)) since the scene began" }
        for device in reply["devices"]?.elements ?? [] {
            var line = "\(word(device, "name")) (\(word(device, "address"))) at \(position(device["at_m"]))"
            if device["body_db"]?.text != "0.0" { line += ", body \(word(device, "body_db")) dB" }
            if device["advertises"]?.text == "true" { line += ", advertises" + addresses(device) }
            if device["scans"]?.text == "true" { line += ", scans" }
            lines.append(line)
        }
        for link in reply["links"]?.elements ?? [] {
            lines.append(
                "link from \(word(link, "central")) to \(word(link, "peripheral")): \(word(link, "rssi_dbm")) dBm")
        }
        for group in reply["phantom_groups"]?.elements ?? [] {
            let place = group["at_m"].map { " (\(word(group, "address"))) at \(position($0))" }
            lines.append("phantom \(word(group, "name"))" + (place ?? ": \(word(group, "count"))"))
        }
        for jammer in reply["jammers"]?.elements ?? [] { lines.append("jammer \(jammer.text ?? "")") }
        if let walls = reply["walls"]?.text, walls != "0" { lines.append("walls: \(walls)") }
        return lines.joined(separator: "\n")
    }

    static func event(_ event: DataNode) -> String {
        guard case .mapping(let members, _) = event else { return "" }
        var text = "\(seconds(event["time_ms"])) \(word(event, "event"))"
        for member in members where !["event", "time_ms"].contains(member.key) {
            let list = member.key == "between" ? names(member.value) : position(member.value)
            let value = member.value.text ?? list
            text += " \(member.key)=\(value.contains(" ") ? "\"\(value)\"" : value)"
        }
        return text
    }

    /// Those that it advertises with, unless it is its own alone.
    private static func addresses(_ device: DataNode) -> String {
        let addresses = (device["advertises_as"]?.elements ?? []).compactMap(\.text)
        return addresses.allSatisfy { $0 == device["address"]?.text } ? "" : " as \(addresses.joined(separator: ", "))"
    }

    private static func word(_ node: DataNode, _ key: String) -> String { node[key]?.text ?? "" }

    private static func names(_ node: DataNode) -> String { node.elements.compactMap(\.text).joined(separator: ", ") }

    private static func position(_ node: DataNode?) -> String {
        "(" + (node?.elements ?? []).map { $0.text ?? "" }.joined(separator: ", ") + ") m"
    }

    private static func seconds(_ node: DataNode?) -> String {
        guard let text = node?.text, let milliseconds = Int(text) else { return "" }
        let rest = "\(1_000 + milliseconds % 1_000)".dropFirst()
        return "\(milliseconds / 1_000).\(rest) s"
    }
}
