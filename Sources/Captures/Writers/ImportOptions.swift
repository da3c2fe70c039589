/// What a profile is made with.
package struct ImportOptions {
    /// The capture's name, for comments.
    package var fileName: String
    /// Whether requests that were refused or not answered become faults.
    package var includesFaults: Bool
    /// The services that dittojay simulates by name.
    package var standards: [StandardTable]
    /// Whether a service is one that each bluetoothd offers by itself, by its UUID, those of its characteristics and
    /// the value of its PnP ID.
    package var isOwnService: (_ uuid: String, _ characteristics: [String], _ identity: [UInt8]?) -> Bool

    package init(
        fileName: String, includesFaults: Bool = false, standards: [StandardTable] = [],
        isOwnService: @escaping (_ uuid: String, _ characteristics: [String], _ identity: [UInt8]?) -> Bool = {
            uuid, _, _ in ["1800", "1801"].contains(uuid)
        }
    ) {
        self.fileName = fileName
        self.includesFaults = includesFaults
        self.standards = standards
        self.isOwnService = isOwnService
    }
}
