// Names of the UUIDs that are met most: GATT's own declarations, and common services and characteristics.

const UUID_NAMES = {
  1800: "Generic Access", 1801: "Generic Attribute", "180a": "Device Information", "180d": "Heart Rate",
  "180f": "Battery", "181a": "Environmental Sensing", 1805: "Current Time", 1809: "Health Thermometer",
  1810: "Blood Pressure", 1812: "Human Interface Device", 1814: "Running Speed and Cadence",
  1816: "Cycling Speed and Cadence", 1818: "Cycling Power", "181c": "User Data", "181d": "Weight Scale",
  2800: "Primary Service", 2801: "Secondary Service", 2802: "Include", 2803: "Characteristic",
  2900: "Characteristic Extended Properties", 2901: "Characteristic User Description",
  2902: "Client Characteristic Configuration", 2903: "Server Characteristic Configuration",
  2904: "Characteristic Presentation Format", 2905: "Characteristic Aggregate Format",
  "2a00": "Device Name", "2a01": "Appearance", "2a04": "Peripheral Preferred Connection Parameters",
  "2a05": "Service Changed", "2a19": "Battery Level", "2a1c": "Temperature Measurement", "2a23": "System ID",
  "2a24": "Model Number String", "2a25": "Serial Number String", "2a26": "Firmware Revision String",
  "2a27": "Hardware Revision String", "2a28": "Software Revision String", "2a29": "Manufacturer Name String",
  "2a2b": "Current Time", "2a37": "Heart Rate Measurement", "2a38": "Body Sensor Location",
  "2a39": "Heart Rate Control Point", "2a50": "PnP ID", "2a5b": "CSC Measurement", "2a63": "Cycling Power Measurement",
  "2a6d": "Pressure", "2a6e": "Temperature", "2a6f": "Humidity", "2a9d": "Weight Measurement",
  "2aa6": "Central Address Resolution", "2b29": "Client Supported Features", "2b2a": "Database Hash",
  "2b3a": "Server Supported Features",
};
const BASE = /^0000([0-9a-f]{4})-0000-1000-8000-00805f9b34fb$/;

/** `Heart Rate Measurement (2a37)`; the UUID alone if it has no name. */
export function nameOfUUID(text) {
  const short = BASE.exec(text)?.[1] ?? text;
  return Object.hasOwn(UUID_NAMES, short) ? `${UUID_NAMES[short]} (${short})` : short;
}
