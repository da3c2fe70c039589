/// Which paths lie below which: those that are in use, and all above them.
struct PathTree {
    private var inUse: Set<ObjectPath> = []
    private var below: [ObjectPath: Set<ObjectPath>] = [:]

    /// The paths one element below `path` that are in use, or have one below them that is.
    func children(of path: ObjectPath) -> Set<ObjectPath> { below[path] ?? [] }

    /// Whether `path` is in use, or is above one that is.
    func contains(_ path: ObjectPath) -> Bool { inUse.contains(path) || below[path] != nil }

    mutating func insert(_ path: ObjectPath) {
        inUse.insert(path)
        var path = path
        while let parent = path.parent, below[parent, default: []].insert(path).inserted { path = parent }
    }

    mutating func remove(_ path: ObjectPath) {
        inUse.remove(path)
        var path = path
        while !contains(path), let parent = path.parent {
            below[parent]?.remove(path)
            if below[parent]?.isEmpty == true { below[parent] = nil }
            path = parent
        }
    }
}
