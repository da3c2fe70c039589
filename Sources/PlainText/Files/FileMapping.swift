/// A mapping of a file that is being read.
package struct FileMapping {
    package struct Member {
        package let key: String
        package let keyNode: FileNode
        package let value: FileNode
    }

    package let node: FileNode
    package let members: [Member]
    /// The keys that were probably meant by unknown ones, which are noted as mistakes.
    var misspelt: Set<String> = []

    init(node: FileNode, members: [Member]) {
        (self.node, self.members) = (node, members)
    }

    package subscript(key: String) -> FileNode? {
        members.first { $0.key == key }?.value
    }

    /// The place of a key.
    package func place(of key: String) -> FileNode? {
        members.first { $0.key == key }.map {
            FileNode($0.keyNode.data, path: $0.value.path, context: node.context)
        }
    }

    package func required(_ key: String) throws(FileMistake) -> FileNode {
        if let value = self[key] { return value }
        throw misspelt.contains(key) ? node.consequence() : node.fail("\"\(key)\" is missing")
    }

    /// The one member of these that is present.
    package func exactlyOne(of keys: [String]) throws(FileMistake) -> Member {
        let found = members.filter { keys.contains($0.key) }
        guard found.count == 1, let only = found.first else {
            if found.isEmpty, !misspelt.isDisjoint(with: keys) { throw node.consequence() }
            throw (found.last?.keyNode ?? node).fail("exactly one of \(keys.joined(separator: ", ")) is required")
        }
        return only
    }
}
