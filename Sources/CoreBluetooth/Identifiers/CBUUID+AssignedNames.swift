import AssignedNumbers

extension CBUUID {
    /// The name that the Bluetooth SIG has given to the service, characteristic or descriptor of this UUID.
    package var assignedName: String? {
        assignedNumber.flatMap(AssignedName.attribute)
    }

    /// The 16-bit value that stands for the UUID, whatever width it was created with; nil if there is none.
    package var assignedNumber: UInt16? {
        guard bits & (UInt128.max >> 32) == Self.baseBits else { return nil }
        return UInt16(exactly: bits >> 96)
    }
}
