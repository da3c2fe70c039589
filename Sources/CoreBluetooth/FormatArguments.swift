// Objects as arguments of a format (`NSLog("%@ connected", peripheral)`), which is their description. On Apple's
// platforms every object can be one; Foundation on Linux takes its own strings only.

extension CBManager: _CVarArgObject {}
extension CBPeer: _CVarArgObject {}
extension CBAttribute: _CVarArgObject {}
extension CBUUID: _CVarArgObject {}
extension CBATTRequest: _CVarArgObject {}
extension CBL2CAPChannel: _CVarArgObject {}

extension _CVarArgObject where Self: NSObject {
    /// What is formatted in the object's place.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// The text's, which lives as long as the list of arguments.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}
