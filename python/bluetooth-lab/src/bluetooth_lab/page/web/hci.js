// Decodes the packets between the kernel and a controller, down to the protocol that ACL data carries.
import { address, hex, hexNumber, number, Reader, text } from "./bytes.js";
import { OP } from "./btsnoop.js";
import { COMMANDS, EVENTS, LE_EVENTS } from "./hci-names.js";
import { decodeL2CAP } from "./l2cap.js";
import { decodeControl } from "./mgmt.js";

function commandName(opcode) {
  return COMMANDS[opcode]?.[0] ?? `Command ${hexNumber(opcode, 4)}`;
}

/** A decoded packet: its `name`, the `fields` of its bytes, and what it says in one line. */
class Decoded {
  constructor(name, reader, words = []) {
    Object.assign(this, { name, fields: reader.fields, bytes: reader.bytes, words });
  }

  get summary() {
    return [this.name, ...this.words].join(" · ");
  }
}

const SAYS_LITTLE = /^(Command|Event|Packets allowed|Reports|Handles|Flags|.*length|.*type|Channels|Socket)$/i;

/** The first fields, addresses before others, without those that say nothing by themselves. */
function summaryWords(fields, most = 4) {
  const words = [];
  const isAddress = (field) => field.raw?.type === "addr";
  const ordered = [...fields.filter(isAddress), ...fields.filter((field) => !isAddress(field))];
  for (const { name, value, children } of ordered) {
    if (words.length === most) break;
    if (SAYS_LITTLE.test(name) || children) continue;
    if (name === "Status") words.push(value.replace(/ \(0x..\)$/, ""));
    else if (value.length <= 70) words.push(`${name} ${value.replace(/ \(0x..\)$/, "")}`);
  }
  return words;
}

function decodeCommand(bytes) {
  const reader = new Reader(bytes);
  const opcode = number(bytes, 0, 2);
  reader.group("HCI command", hexNumber(opcode, 4), 3, (header) => {
    header.add("Opcode", `${commandName(opcode)} (OGF ${opcode >> 10}, OCF ${hexNumber(opcode & 0x3ff, 4)})`, 0, 2);
    header.position += 2;
    header.take("Parameter length", "u8");
  });
  const header = reader.fields.length;
  reader.layout(COMMANDS[opcode]?.[1] ?? "").rest("Parameters");
  return new Decoded(commandName(opcode), reader, summaryWords(reader.fields.slice(header)));
}

function decodeEvent(bytes) {
  const code = bytes[0];
  const reader = new Reader(bytes);
  let [name, layout] = EVENTS[code] ?? [`Event ${hexNumber(code ?? 0, 2)}`, ""];
  reader.group("HCI event", name, 2, (header) => header.layout("Event code:hex8, Parameter length:u8"));
  const header = reader.fields.length;
  const words = [];
  if (code === 0x0e || code === 0x0f) {
    if (code === 0x0f) reader.take("Status", "status");
    reader.take("Packets allowed", "u8");
    const opcode = number(bytes, reader.position, 2);
    reader.add("Command", `${commandName(opcode)} (${hexNumber(opcode, 4)})`, reader.position, 2, {
      type: "opcode", number: opcode });
    reader.position += 2;
    if (code === 0x0e) reader.layout(COMMANDS[opcode]?.[2] ?? (reader.left ? "Status:status" : ""));
    words.push(commandName(opcode));
  } else if (code === 0x13) {
    const count = reader.take("Handles", "u8");
    for (let index = 0; index < count && !reader.isShort; index++) reader.layout("Handle:handle, Packets:u16");
  } else if (code === 0x3e) {
    [name, layout] = LE_EVENTS[bytes[2]] ?? [`LE event ${hexNumber(bytes[2] ?? 0, 2)}`, ""];
    reader.add("Subevent", `${name} (${hexNumber(bytes[2] ?? 0, 2)})`, 2, 1);
    reader.position += 1;
    if (bytes[2] === 0x02) advertisingReports(reader);
    else if (bytes[2] === 0x0d) extendedAdvertisingReports(reader);
    else reader.layout(layout);
  } else {
    reader.layout(layout ?? "");
  }
  reader.rest("Parameters");
  const told = reader.fields.slice(header).filter((field) => field.name !== "Subevent");
  return new Decoded(name, reader, [...words, ...summaryWords(told)]);
}

function advertisingReports(reader) {
  const count = reader.take("Reports", "u8");
  for (let index = 0; index < count && !reader.isShort; index++) {
    reader.layout("Event type:hex8, Address type:addrtype, Address:addr");
    const length = reader.take("Data length", "u8");
    reader.group("Data", `${length} bytes`, length, (data) => data.take("Advertising data", "ad"));
    reader.take("RSSI", "dbm");
  }
}

function extendedAdvertisingReports(reader) {
  const count = reader.take("Reports", "u8");
  for (let index = 0; index < count && !reader.isShort; index++) {
    reader.layout("Event type:hex16, Address type:addrtype, Address:addr, Primary PHY:u8, Secondary PHY:u8, SID:u8, "
      + "TX power:dbm, RSSI:dbm, Periodic interval:i125, Direct address type:addrtype, Direct address:addr");
    const length = reader.take("Data length", "u8");
    reader.group("Data", `${length} bytes`, length, (data) => data.take("Advertising data", "ad"));
  }
}

const BOUNDARIES = ["first, not flushable", "continuing", "first, flushable", "complete"];

/** ACL data, with the PDU that it begins, which may be put together from several packets. */
function decodeACL(bytes, context) {
  const reader = new Reader(bytes);
  const handle = number(bytes, 0, 2);
  reader.group("HCI ACL data", `handle ${handle & 0xfff}`, 4, (header) => {
    header.add("Handle", String(handle & 0xfff), 0, 2, { type: "handle", number: handle & 0xfff });
    header.add("Packet boundary", BOUNDARIES[(handle >> 12) & 3], 1, 1);
    header.add("Broadcast", String(handle >> 14), 1, 1);
    header.position += 2;
    header.take("Data length", "u16");
  });
  const { pdu, begins } = context;
  if (!begins) {
    reader.rest("Continuation");
    return new Decoded("ACL data", reader, ["continuation of a PDU"]);
  }
  if (pdu) {
    const whole = new Reader(pdu);
    const told = decodeL2CAP(whole, context);
    reader.rest("First fragment");
    reader.add("Put together", `${pdu.length} bytes, of several packets`, 4, bytes.length - 4);
    const decoded = new Decoded(told.name, reader, told.words);
    Object.assign(decoded, { whole: whole.fields, wholeBytes: pdu });
    return decoded;
  }
  const told = decodeL2CAP(reader, context);
  return new Decoded(told.name, reader, told.words);
}

const BUSES = { 0: "virtual", 1: "USB", 2: "PCCARD", 3: "UART", 5: "PCI", 6: "SDIO" };

function decodeIndex(name, bytes, layout) {
  const reader = new Reader(bytes);
  if (layout === "new") {
    reader.take("Type", "u8");
    reader.add("Bus", BUSES[bytes[1]] ?? String(bytes[1]), 1, 1);
    reader.position = Math.min(2, reader.end);
    reader.layout("Address:addr, Name:text8");
  } else reader.layout(layout);
  reader.rest("More");
  return new Decoded(name, reader, summaryWords(reader.fields));
}

function decodeNote(name, bytes, start) {
  const reader = new Reader(bytes, start);
  reader.add("Text", text(bytes, start, bytes.length), start, bytes.length - start);
  return new Decoded(name, reader, [text(bytes, start, bytes.length)]);
}

/** Decodes a record of a capture. `context`: what `Packets` knows of the link. */
export function decodePacket(opcode, bytes, context) {
  switch (opcode) {
    case OP.newIndex: return decodeIndex("New controller", bytes, "new");
    case OP.deleteIndex: return decodeIndex("Controller removed", bytes, "");
    case OP.openIndex: return decodeIndex("Controller opened", bytes, "");
    case OP.closeIndex: return decodeIndex("Controller closed", bytes, "");
    case OP.indexInfo: return decodeIndex("Controller's information", bytes, "Address:addr, Manufacturer:u16");
    case OP.systemNote: return decodeNote("Note", bytes, 0);
    case OP.note: return decodeNote("Note", bytes, 2 + (bytes[1] ?? 0));
    case OP.command: return decodeCommand(bytes);
    case OP.event: return decodeEvent(bytes);
    case OP.aclOut: case OP.aclIn: return decodeACL(bytes, context);
    case OP.controlOpen: case OP.controlClose: case OP.controlCommand: case OP.controlEvent: {
      const reader = new Reader(bytes);
      const name = decodeControl(opcode, reader);
      return new Decoded(name, reader, summaryWords(reader.fields, 5));
    }
    default: {
      const reader = new Reader(bytes);
      reader.rest("Data");
      return new Decoded(`Packet of kind ${opcode}`, reader, [hex(bytes, 0, 32)]);
    }
  }
}

/** What `Packets` must know of every event, at little cost: links that begin and end. */
export function linkChange(bytes) {
  if (bytes[0] === 0x05 && bytes.length >= 6) {
    return { ends: true, status: bytes[2], handle: number(bytes, 3, 2) & 0xfff };
  }
  const isLE = bytes[0] === 0x3e && (bytes[2] === 0x01 || bytes[2] === 0x0a || bytes[2] === 0x29);
  if (!isLE || bytes.length < 14) return null;
  return { ends: false, status: bytes[3], handle: number(bytes, 4, 2) & 0xfff, peer: address(bytes, 8) };
}
