// Keys of the dictionary in which an advertisement is reported to a central and, for the first two, given to
// `CBPeripheralManager.startAdvertising`. A key is absent when the advertisement has no such field. The texts are
// Apple's.

/// `String`: the device's name as advertised, which may be a shortened one.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// `[CBUUID]`: the services that the device offers.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// `Data`: the manufacturer's data, with the two bytes of the company identifier in front, the lower one first. A
/// device may advertise those of several companies (see ``CBAdvertisementDataAllManufacturerDataKey``); then it is the
/// first by company identifier that is not an iBeacon frame, because Apple's platforms do not report those.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// `[Data]`: the data of every company, by company identifier, each with its two bytes in front. An addition of this
/// package: Apple's dictionary has one company at most.
public let CBAdvertisementDataAllManufacturerDataKey = "kCBAdvDataAllManufacturerData"
/// `[CBUUID: Data]`: data of services.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// `NSNumber`: the power with which the advertisement was sent, in dBm.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// `NSNumber` of a `Bool`: whether the device accepts connections at the moment.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// `[CBUUID]`: services in Apple's overflow area. Never reported on Linux.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// `[CBUUID]`: the services that the device looks for.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"
