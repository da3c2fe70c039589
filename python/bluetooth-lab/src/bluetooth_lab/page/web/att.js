// The Attribute Protocol (Core Specification, volume 3 part F).
import { hexNumber, number, uuid, value } from "./bytes.js";
import { nameOfUUID } from "./uuids.js";

const ATT_NAMES = {
  0x01: "Error Response", 0x02: "Exchange MTU Request", 0x03: "Exchange MTU Response",
  0x04: "Find Information Request", 0x05: "Find Information Response", 0x06: "Find By Type Value Request",
  0x07: "Find By Type Value Response", 0x08: "Read By Type Request", 0x09: "Read By Type Response",
  0x0a: "Read Request", 0x0b: "Read Response", 0x0c: "Read Blob Request", 0x0d: "Read Blob Response",
  0x0e: "Read Multiple Request", 0x0f: "Read Multiple Response", 0x10: "Read By Group Type Request",
  0x11: "Read By Group Type Response", 0x12: "Write Request", 0x13: "Write Response", 0x16: "Prepare Write Request",
  0x17: "Prepare Write Response", 0x18: "Execute Write Request", 0x19: "Execute Write Response",
  0x1b: "Handle Value Notification", 0x1d: "Handle Value Indication", 0x1e: "Handle Value Confirmation",
  0x20: "Read Multiple Variable Request", 0x21: "Read Multiple Variable Response",
  0x23: "Multiple Handle Value Notification", 0x52: "Write Command", 0xd2: "Signed Write Command",
};
const ERRORS = {
  0x01: "Invalid Handle", 0x02: "Read Not Permitted", 0x03: "Write Not Permitted", 0x04: "Invalid PDU",
  0x05: "Insufficient Authentication", 0x06: "Request Not Supported", 0x07: "Invalid Offset",
  0x08: "Insufficient Authorization", 0x09: "Prepare Queue Full", 0x0a: "Attribute Not Found",
  0x0b: "Attribute Not Long", 0x0c: "Insufficient Encryption Key Size", 0x0d: "Invalid Attribute Value Length",
  0x0e: "Unlikely Error", 0x0f: "Insufficient Encryption", 0x10: "Unsupported Group Type",
  0x11: "Insufficient Resources", 0x12: "Database Out Of Sync", 0x13: "Value Not Allowed",
  0xfc: "Write Request Rejected", 0xfd: "Client Characteristic Configuration Improperly Configured",
  0xfe: "Procedure Already In Progress", 0xff: "Out Of Range",
};
// Those that a server sends; all others come from the client.
const OF_SERVER = new Set([0x01, 0x03, 0x05, 0x07, 0x09, 0x0b, 0x0d, 0x0f, 0x11, 0x13, 0x17, 0x19, 0x1b, 0x1d, 0x21,
  0x23]);
const WITH_HANDLE = new Set([0x0a, 0x0c, 0x12, 0x16, 0x1b, 0x1d, 0x52, 0xd2]);

export const isOfServer = (opcode) => OF_SERVER.has(opcode);
export const isRequest = (opcode) => opcode % 2 === 0 && opcode < 0x52 && opcode !== 0x1e;
export const attName = (opcode) => ATT_NAMES[opcode] ?? `PDU ${hexNumber(opcode, 2)}`;
export const hasHandle = (opcode) => WITH_HANDLE.has(opcode);

/** Decodes a PDU. `context.typeOf(handle)` has the UUID's name of an attribute, if its discovery was recorded;
 * `context.request` is the request that a response answers. */
export function decodeATT(reader, context) {
  const { bytes } = reader;
  const opcode = bytes[reader.position] ?? 0;
  const words = [];
  reader.add("Opcode", `${attName(opcode)} (${hexNumber(opcode, 2)})`, reader.position, 1);
  reader.position = Math.min(reader.position + 1, reader.end);
  const take = { reader, words, context, bytes };
  const decode = DECODERS[opcode];
  if (decode) decode(take);
  else takeValue(take, "Parameters");
  reader.rest("Rest");
  return { name: `ATT ${attName(opcode)}`, words };
}

function takeHandle({ reader, words, context, bytes }, name = "Handle") {
  const handle = number(bytes, reader.position, 2);
  const type = context.typeOf?.(handle);
  const shown = hexNumber(handle, 4) + (type ? ` ${type}` : "");
  if (reader.left < 2) return reader.take(name, "u16");
  reader.add(name, shown, reader.position, 2, { type: "attribute", number: handle });
  reader.position += 2;
  words.push(shown);
  return handle;
}

function takeValue({ reader, words, bytes }, name = "Value", length = reader.left) {
  const end = Math.min(reader.end, reader.position + length);
  const shown = value(bytes, reader.position, end);
  reader.add(name, shown, reader.position, end - reader.position);
  words.push(shown.length > 100 ? `${shown.slice(0, 100)}… (${end - reader.position} bytes)` : shown);
  reader.position = end;
}

function takeNumber({ reader, words }, name, type, prefix = name) {
  reader.take(name, type);
  words.push(`${prefix} ${reader.fields.at(-1).value}`);
}

function takeRange(take) {
  takeNumber(take, "First handle", "hex16", "from");
  takeNumber(take, "Last handle", "hex16", "to");
}

function takeType({ reader, words }, name = "Type") {
  reader.uuid(name, reader.left >= 16 ? 16 : 2);
  words.push(reader.fields.at(-1).value);
}

/** Entries of one length that their first byte says. */
function takeList(take, decode) {
  const { reader } = take;
  const length = reader.take("Entry length", "u8");
  let count = 0;
  while (length > 0 && reader.left >= length) {
    count += 1;
    reader.group("Entry", "", length, (inner) => decode({ ...take, reader: inner, words: [] }));
  }
  take.words.push(count === 1 ? "1 entry" : `${count} entries`);
}

const DECODERS = {
  0x01(take) {
    const { reader, words, bytes } = take;
    const request = bytes[reader.position] ?? 0;
    reader.add("Request", `${attName(request)} (${hexNumber(request, 2)})`, reader.position, 1);
    reader.position += 1;
    takeHandle(take);
    const code = bytes[reader.position] ?? 0;
    const shown = `${ERRORS[code] ?? "application error"} (${hexNumber(code, 2)})`;
    reader.add("Error", shown, reader.position, 1);
    reader.position += 1;
    words.unshift(shown, `to ${attName(request)}`);
  },
  0x02: (take) => takeNumber(take, "MTU", "u16"),
  0x03: (take) => takeNumber(take, "MTU", "u16"),
  0x04: takeRange,
  0x05(take) {
    const { reader, words } = take;
    const length = reader.take("Format", "u8") === 1 ? 2 : 16;
    let count = 0;
    while (reader.left >= length + 2) {
      count += 1;
      reader.group("Attribute", "", length + 2, (inner) => {
        inner.take("Handle", "hex16");
        inner.uuid("Type", length);
      });
    }
    words.push(`${count} attributes`);
  },
  0x06(take) {
    takeRange(take);
    take.reader.uuid("Type", 2);
    takeValue(take);
  },
  0x07(take) {
    while (take.reader.left >= 4) take.reader.layout("Handle:hex16, Group end:hex16");
  },
  0x08(take) {
    takeRange(take);
    takeType(take);
  },
  0x09: (take) => takeList(take, (inner) => {
    takeHandle(inner);
    const isCharacteristic = take.context.request?.type === "2803";
    if (!isCharacteristic || inner.reader.left < 5) return takeValue(inner);
    inner.reader.layout("Properties:hex8, Value handle:hex16");
    inner.reader.uuid("UUID", inner.reader.left >= 16 ? 16 : 2);
  }),
  0x0a: (take) => void takeHandle(take),
  0x0b: (take) => takeValue(withRequest(take)),
  0x0c(take) {
    takeHandle(take);
    takeNumber(take, "Offset", "u16");
  },
  0x0d: (take) => takeValue(withRequest(take)),
  0x0e(take) {
    while (take.reader.left >= 2) takeHandle(take);
  },
  0x10(take) {
    takeRange(take);
    takeType(take);
  },
  0x11: (take) => takeList(take, (inner) => {
    takeHandle(inner);
    inner.reader.take("Group end", "hex16");
    const length = inner.reader.left;
    if (length === 2 || length === 16) inner.reader.uuid("UUID", length);
    else takeValue(inner);
  }),
  0x12: takeHandleAndValue,
  0x13: (take) => void withRequest(take),
  0x16(take) {
    takeHandle(take);
    takeNumber(take, "Offset", "u16");
    takeValue(take);
  },
  0x17(take) {
    takeHandle(take);
    takeNumber(take, "Offset", "u16");
    takeValue(take);
  },
  0x18: (take) => takeNumber(take, "Flags", "hex8"),
  0x19() {},
  0x1b: takeHandleAndValue,
  0x1d: takeHandleAndValue,
  0x1e() {},
  0x20(take) {
    while (take.reader.left >= 2) takeHandle(take);
  },
  0x23(take) {
    const { reader } = take;
    while (reader.left >= 4) {
      takeHandle(take);
      takeValue(take, "Value", reader.take("Value length", "u16"));
    }
  },
  0x52: takeHandleAndValue,
  0xd2: takeHandleAndValue,
};

function takeHandleAndValue(take) {
  takeHandle(take);
  takeValue(take);
}

/** A response does not say which attribute it is about; its request does. */
function withRequest(take) {
  const { request, typeOf } = take.context;
  if (request?.handle) {
    const type = typeOf?.(request.handle);
    take.words.push(hexNumber(request.handle, 4) + (type ? ` ${type}` : ""));
  }
  return take;
}

/** What a request asks for, as far as its answer needs it: the type's UUID, or the attribute's handle. */
export function requestOf(pdu) {
  const opcode = pdu[0];
  if (opcode === 0x08 || opcode === 0x10) {
    return { opcode, type: pdu.length === 7 ? number(pdu, 5, 2).toString(16) : "", handle: 0 };
  }
  return { opcode, type: "", handle: hasHandle(opcode) ? number(pdu, 1, 2) : 0 };
}

/** Calls `learn(handle, name of its UUID)` for each attribute that a response of a discovery lists. */
export function learnTypes(pdu, request, learn) {
  const opcode = pdu[0];
  const short = (offset) => nameOfUUID(number(pdu, offset, 2).toString(16).padStart(4, "0"));
  if (opcode === 0x05 && pdu[1] === 1) {
    for (let at = 2; at + 4 <= pdu.length; at += 4) learn(number(pdu, at, 2), short(at + 2));
  } else if (opcode === 0x09 && request?.type === "2803") {
    const length = pdu[1];
    for (let at = 2; length >= 7 && at + length <= pdu.length; at += length) {
      learn(number(pdu, at, 2), "Characteristic (2803)");
      learn(number(pdu, at + 3, 2), uuid(pdu, at + 5, length - 5));
    }
  }
}
