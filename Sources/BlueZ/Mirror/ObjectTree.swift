import DBus
import MainLoop

/// The mirrored objects by path.
@LoopActor
struct ObjectTree {
    var adapters: [ObjectPath: Adapter] = [:] { didSet { sortAdapters() } }
    /// The adapters by their numbers. They are asked for with many events, and come and go rarely.
    private(set) var orderedAdapters: [Adapter] = []
    var devices: [ObjectPath: Device] = [:]
    var services: [ObjectPath: RemoteService] = [:]
    var characteristics: [ObjectPath: RemoteCharacteristic] = [:]
    var descriptors: [ObjectPath: RemoteDescriptor] = [:]

    nonisolated init() {}

    private mutating func sortAdapters() {
        orderedAdapters = adapters.values.sorted {
            ($0.index ?? .max, $0.path.string) < ($1.index ?? .max, $1.path.string)
        }
    }

    func find(_ path: ObjectPath, _ interface: String) -> (any MirroredObject)? {
        switch interface {
        case GattCharacteristic1.name: characteristics[path]
        case Device1.name: devices[path]
        case GattService1.name: services[path]
        case GattDescriptor1.name: descriptors[path]
        case Adapter1.name: adapters[path]
        default: nil
        }
    }

    var allPathsChildrenFirst: [ObjectPath] {
        let levels: [[ObjectPath]] = [
            Array(descriptors.keys), Array(characteristics.keys), Array(services.keys), Array(devices.keys),
            Array(adapters.keys),
        ]
        return levels.flatMap { $0.sorted { $0.string < $1.string } }
    }
}
