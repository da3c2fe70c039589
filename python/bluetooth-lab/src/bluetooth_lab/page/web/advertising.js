// The structures of advertising data and EIR: a length, a type and a value each (Core Specification Supplement,
// part A).

const UUIDS_16 = { 2: "16-bit UUIDs (incomplete)", 3: "16-bit UUIDs", 20: "Solicited 16-bit UUIDs" };
const UUIDS_128 = { 6: "128-bit UUIDs (incomplete)", 7: "128-bit UUIDs", 21: "Solicited 128-bit UUIDs" };
const TEXTS = { 8: "Name (shortened)", 9: "Name" };
const NUMBERS = { 1: ["Flags", "hex8"], 10: ["TX power", "dbm"], 13: ["Class of device", "hex24"],
  25: ["Appearance", "hex16"] };

/** Decodes them all; zero bytes at the end are padding. */
export function decodeAdvertising(reader) {
  while (reader.left > 1) {
    const length = reader.bytes[reader.position];
    if (length === 0) {
      reader.position = reader.end;
      return;
    }
    reader.position += 1;
    structure(reader, Math.min(length, reader.left));
  }
}

function structure(reader, length) {
  const type = reader.bytes[reader.position];
  const end = reader.position + length;
  reader.position += 1;
  if (UUIDS_16[type]) while (reader.position + 2 <= end) reader.uuid(UUIDS_16[type], 2);
  else if (UUIDS_128[type]) while (reader.position + 16 <= end) reader.uuid(UUIDS_128[type], 16);
  else if (TEXTS[type]) reader.take(TEXTS[type], `text${length - 1}`);
  else if (NUMBERS[type] && length > 1) reader.take(...NUMBERS[type]);
  else if (type === 22 && length > 2) {
    reader.uuid("Service data of", 2);
    reader.take("Service data", `bytes${Math.max(0, end - reader.position)}`);
  } else if (type === 255 && length > 2) {
    reader.take("Company", "hex16");
    reader.take("Manufacturer data", `bytes${Math.max(0, end - reader.position)}`);
  } else if (type !== undefined) reader.take(`Type 0x${type.toString(16).padStart(2, "0")}`, `bytes${length - 1}`);
  reader.position = end;
}
