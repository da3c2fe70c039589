/// The XML by which an exported object describes itself (D-Bus specification, "Introspection Data Format").
enum IntrospectionDocument {
    static func text(interfaces: [ExportedInterface], children: [String]) -> String {
        var lines = [
            "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"",
            " \"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">",
            "<node>",
        ]
        for interface in interfaces {
            lines.append("  <interface name=\"\(interface.name)\">")
            for method in interface.methods {
                let arguments =
                    method.inputs.map { argument($0, direction: " direction=\"in\"") }
                    + method.outputs.map { argument($0, direction: " direction=\"out\"") }
                lines += element("method", name: method.name, arguments)
            }
            for signal in interface.signals {
                lines += element("signal", name: signal.name, signal.arguments.map { argument($0, direction: "") })
            }
            for property in interface.properties {
                let access = property.set == nil ? "read" : "readwrite"
                lines.append("    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"/>")
            }
            lines.append("  </interface>")
        }
        lines += children.map { "  <node name=\"\($0)\"/>" }
        lines.append("</node>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func element(_ kind: String, name: String, _ arguments: [String]) -> [String] {
        arguments.isEmpty
            ? ["    <\(kind) name=\"\(name)\"/>"] : ["    <\(kind) name=\"\(name)\">"] + arguments + ["    </\(kind)>"]
    }

    /// Unlike all other names, an argument's may be any text. What XML cannot have (XML 1.0, 2.2) is replaced.
    private static func escaped(_ text: String) -> String {
        // Not by characters: "<" and a combining accent are one.
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r", "\u{20}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                result.unicodeScalars.append(scalar)
            default: result += "\u{FFFD}"
            }
        }
    }

    private static func argument(_ argument: ExportedArgument, direction: String) -> String {
        "      <arg name=\"\(escaped(argument.name))\" type=\"\(argument.type)\"\(direction)/>"
    }
}
