// The values of the Heart Rate service: Bluetooth GATT Specification Supplement, "Heart Rate Measurement" and
// "Body Sensor Location".

const LOCATIONS = ["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"];

/**
 * @param {DataView} data of a notification
 * @returns {{rate: number, contact: boolean | null, energy: number | null, intervals: number[]}} rate in beats per
 *   minute; contact is null when the sensor does not measure it; energy in kilojoules; intervals in seconds
 * @throws {RangeError} when the value is shorter than it says
 */
export function parseMeasurement(data) {
  const flags = data.getUint8(0);
  let at = 1;
  const take16 = () => data.getUint16((at += 2) - 2, true);
  const rate = flags & 0x01 ? take16() : data.getUint8(at++);
  const contact = flags & 0x04 ? Boolean(flags & 0x02) : null;
  const energy = flags & 0x08 ? take16() : null;
  const intervals = [];
  if (flags & 0x10) while (at + 2 <= data.byteLength) intervals.push(take16() / 1024);
  return {rate, contact, energy, intervals};
}

/** @param {DataView} data that was read */
export function parseLocation(data) {
  return (data.byteLength && LOCATIONS[data.getUint8(0)]) || "unknown";
}
