// L2CAP frames, and the protocols of LE's fixed channels: ATT, the Security Manager, signalling (Core Specification,
// volume 3 parts A, F and H).
import { hexNumber, number, value } from "./bytes.js";
import { decodeATT } from "./att.js";

export const ATT_CHANNEL = 4;
const CHANNELS = { 1: "signalling", 4: "ATT", 5: "LE signalling", 6: "SMP" };

/** Decodes a whole frame; returns its name, and words for one line. */
export function decodeL2CAP(reader, context) {
  const start = reader.position;
  const channel = number(reader.bytes, start + 2, 2);
  reader.group("L2CAP", CHANNELS[channel] ?? "dynamic channel", 4, (header) => {
    header.take("Length", "u16");
    header.add("Channel", `${CHANNELS[channel] ?? "dynamic"} (${hexNumber(channel, 4)})`, start + 2, 2);
    header.position = Math.min(start + 4, header.end);
  });
  if (channel === ATT_CHANNEL) return decodeATT(reader, context);
  if (channel === 6) return decodeBy(reader, "SMP", SMP);
  if (channel === 5 || channel === 1) return decodeSignalling(reader);
  const words = [`channel ${hexNumber(channel, 4)}`, value(reader.bytes, reader.position, reader.end)];
  reader.rest("Data");
  return { name: "L2CAP data", words };
}

const PAIRING = "IO capability:hex8, Out of band:hex8, Authentication requirements:hex8, Largest key:u8, "
  + "Initiator keys:hex8, Responder keys:hex8";
const SMP = {
  0x01: ["Pairing Request", PAIRING], 0x02: ["Pairing Response", PAIRING],
  0x03: ["Pairing Confirm", "Value:bytes16"], 0x04: ["Pairing Random", "Value:bytes16"],
  0x05: ["Pairing Failed", "Reason:hex8"], 0x06: ["Encryption Information", "Long term key:bytes16"],
  0x07: ["Central Identification", "Encrypted diversifier:hex16, Random number:hex64"],
  0x08: ["Identity Information", "Identity resolving key:bytes16"],
  0x09: ["Identity Address Information", "Address type:addrtype, Address:addr"],
  0x0a: ["Signing Information", "Signature key:bytes16"], 0x0b: ["Security Request", "Requirements:hex8"],
  0x0c: ["Pairing Public Key", "X:bytes32, Y:bytes32"], 0x0d: ["Pairing DHKey Check", "Check:bytes16"],
  0x0e: ["Keypress Notification", "Type:hex8"],
};
const SMP_FAILURES = {
  1: "Passkey Entry Failed", 2: "OOB Not Available", 3: "Authentication Requirements", 4: "Confirm Value Failed",
  5: "Pairing Not Supported", 6: "Encryption Key Size", 7: "Command Not Supported", 8: "Unspecified Reason",
  9: "Repeated Attempts", 10: "Invalid Parameters", 11: "DHKey Check Failed", 12: "Numeric Comparison Failed",
  13: "BR/EDR Pairing in Progress", 14: "Cross-transport Key Derivation Not Allowed", 15: "Key Rejected",
};

function decodeBy(reader, protocol, table) {
  const code = reader.bytes[reader.position] ?? 0;
  const [name, layout] = table[code] ?? [`PDU ${hexNumber(code, 2)}`, ""];
  reader.take("Code", "hex8");
  reader.fields.at(-1).value = `${name} (${hexNumber(code, 2)})`;
  const first = reader.fields.length;
  reader.layout(layout).rest("Data");
  const told = reader.fields.slice(first);
  if (protocol === "SMP" && code === 5 && told[0]) {
    const reason = told[0].raw?.number;
    told[0].value = `${SMP_FAILURES[reason] ?? "unknown"} (${hexNumber(reason ?? 0, 2)})`;
  }
  return { name: `${protocol} ${name}`, words: told.slice(0, 3).map((field) => `${field.name} ${field.value}`) };
}

const PARAMETERS = "Min interval:i125, Max interval:i125, Latency:u16, Supervision timeout:t10";
const SIGNALS = {
  0x01: ["Command Reject", "Reason:hex16"], 0x06: ["Disconnection Request", "Destination:hex16, Source:hex16"],
  0x07: ["Disconnection Response", "Destination:hex16, Source:hex16"],
  0x12: ["Connection Parameter Update Request", PARAMETERS],
  0x13: ["Connection Parameter Update Response", "Result:u16"],
  0x14: ["LE Credit Based Connection Request", "PSM:hex16, Source:hex16, MTU:u16, MPS:u16, Credits:u16"],
  0x15: ["LE Credit Based Connection Response", "Destination:hex16, MTU:u16, MPS:u16, Credits:u16, Result:hex16"],
  0x16: ["Flow Control Credit", "Source:hex16, Credits:u16"],
  0x17: ["Credit Based Connection Request", "PSM:hex16, MTU:u16, MPS:u16, Credits:u16"],
  0x18: ["Credit Based Connection Response", "MTU:u16, MPS:u16, Credits:u16, Result:hex16"],
};

function decodeSignalling(reader) {
  const code = reader.bytes[reader.position] ?? 0;
  const [name, layout] = SIGNALS[code] ?? [`signal ${hexNumber(code, 2)}`, ""];
  reader.layout("Code:hex8, Identifier:u8, Signal length:u16");
  const first = reader.fields.length;
  reader.layout(layout).rest("Data");
  const words = reader.fields.slice(first, first + 3).map((field) => `${field.name} ${field.value}`);
  return { name: `L2CAP ${name}`, words };
}
