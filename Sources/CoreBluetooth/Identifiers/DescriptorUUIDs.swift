// The UUIDs of standard descriptors, for `CBUUID(string:)`.

/// UUID of the descriptor that holds a characteristic's extended properties.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// UUID of the descriptor that describes a characteristic in words.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// UUID of the descriptor that turns a characteristic's notifications and indications on and off.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// UUID of the descriptor that turns a characteristic's broadcasts on and off.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// UUID of the descriptor with a characteristic's format, exponent and unit.
public let CBUUIDCharacteristicFormatString = "2904"
/// UUID of the descriptor that lists the formats of a composite characteristic.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// UUID of the descriptor with the range of a characteristic's valid values.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// UUID of the descriptor that schedules observations.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
/// UUID of the characteristic by which a peripheral commonly publishes the PSM of its L2CAP channel.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"
