/// Names for what a Characteristic Presentation Format has as numbers. Specification: Bluetooth Core, Vol 3, Part G,
/// 3.3.3.5.
package enum PresentationFormatNames {
    /// The formats that have a name here.
    package static let formats: [(name: String, format: UInt8)] = [
        ("bool", 1), ("u8", 4), ("u12", 5), ("u16", 6), ("u24", 7), ("u32", 8), ("u48", 9), ("u64", 10), ("u128", 11),
        ("i8", 12), ("i12", 13), ("i16", 14), ("i24", 15), ("i32", 16), ("i48", 17), ("i64", 18), ("i128", 19),
        ("float32", 20), ("float64", 21), ("sfloat", 22), ("float", 23), ("text", 25), ("utf16", 26), ("struct", 27),
    ]

    /// Names for the commonest units, shorter than the assigned ones.
    package static let units: [(name: String, unit: UInt16)] = [
        ("none", 0x2700), ("metre", 0x2701), ("kilogram", 0x2702), ("second", 0x2703), ("ampere", 0x2704),
        ("kelvin", 0x2705), ("hertz", 0x2722), ("pascal", 0x2724), ("watt", 0x2726), ("volt", 0x2728),
        ("celsius", 0x272F), ("percent", 0x27AD), ("beats-per-minute", 0x27AF),
    ]
}
