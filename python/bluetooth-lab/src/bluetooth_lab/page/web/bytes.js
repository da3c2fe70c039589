// Reads the little-endian fields of packets. What is cut off is shown as that; nothing here throws on odd bytes.
import { decodeAdvertising } from "./advertising.js";
import { nameOfUUID } from "./uuids.js";
import { ADDRESS_TYPES, HCI_ERRORS, ROLES } from "./hci-names.js";

/** A field of a decoded packet: `offset` and `length` say which of its bytes it is. */
export class Field {
  constructor(name, value, offset, length, raw = null) {
    Object.assign(this, { name, value, offset, length, raw, children: null });
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hex(bytes, start = 0, end = bytes.length) {
  let text = "";
  for (let index = start; index < Math.min(end, bytes.length); index++) text += HEX[bytes[index]];
  return text;
}

export function number(bytes, offset, length) {
  let value = 0;
  for (let index = length - 1; index >= 0; index--) value = value * 256 + (bytes[offset + index] ?? 0);
  return value;
}

function signed(bytes, offset) {
  return (bytes[offset] << 24) >> 24;
}

export function hexNumber(value, digits) {
  return "0x" + value.toString(16).padStart(digits, "0");
}

export function address(bytes, offset) {
  const parts = [];
  for (let index = 5; index >= 0; index--) parts.push(HEX[bytes[offset + index] ?? 0]);
  return parts.join(":").toUpperCase();
}

/** A UUID of 2, 4 or 16 bytes, with its name if it has one. */
export function uuid(bytes, offset, length) {
  if (length === 2 || length === 4) return nameOfUUID(hex(bytes.slice(offset, offset + length).reverse()));
  const text = hex(bytes.slice(offset, offset + 16).reverse());
  return nameOfUUID(
    [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-"));
}

const decoder = new TextDecoder();

/** Text up to the first zero byte. */
export function text(bytes, start, end) {
  const zero = bytes.indexOf(0, start);
  return decoder.decode(bytes.subarray(start, zero >= 0 && zero < end ? zero : end));
}

const isPrintable = (byte) => byte >= 0x20 && byte < 0x7f;

/** Bytes in hex, and as text where they are printable. */
export function value(bytes, start = 0, end = bytes.length) {
  const part = bytes.subarray(start, end);
  if (part.length === 0) return "empty";
  const shown = hex(part);
  return part.length > 1 && part.every(isPrintable) ? `${shown} "${decoder.decode(part)}"` : shown;
}

const named = (names, digits) => (b, o, n) => {
  const code = number(b, o, n);
  return names[code] === undefined ? hexNumber(code, digits) : `${names[code]} (${hexNumber(code, digits)})`;
};
const unit = (factor, name) => (b, o, n) => `${+(number(b, o, n) * factor).toFixed(3)} ${name}`;

// The types that layouts name: how many bytes each has, and how it is shown.
const TYPES = {
  u8: [1, number], u16: [2, number], u24: [3, number], u32: [4, number], i8: [1, signed],
  hex8: [1, (b, o) => hexNumber(b[o], 2)],
  hex16: [2, (b, o) => hexNumber(number(b, o, 2), 4)],
  hex24: [3, (b, o) => hexNumber(number(b, o, 3), 6)],
  hex32: [4, (b, o) => hexNumber(number(b, o, 4), 8)],
  hex64: [8, (b, o) => "0x" + hex(b.slice(o, o + 8).reverse())],
  handle: [2, (b, o) => number(b, o, 2) & 0x0fff],
  status: [1, named(HCI_ERRORS, 2)],
  onoff: [1, (b, o) => (b[o] === 0 ? "off" : b[o] === 1 ? "on" : hexNumber(b[o], 2))],
  role: [1, named(ROLES, 2)],
  addr: [6, address],
  addrtype: [1, named(ADDRESS_TYPES, 2)],
  i625: [2, unit(0.625, "ms")],
  i625x24: [3, unit(0.625, "ms")],
  i125: [2, unit(1.25, "ms")],
  t10: [2, unit(10, "ms")],
  dbm: [1, (b, o) => (signed(b, o) === 127 ? "not available" : `${signed(b, o)} dBm`)],
  uuid16: [16, uuid],
};

const layouts = new Map();

/** `"Status:status, Handle:handle"` as pairs; kept, because each kind of packet has its layout. */
function parsed(layout) {
  let fields = layouts.get(layout);
  if (!fields) {
    fields = layout ? layout.split(", ").map((part) => part.split(":")) : [];
    layouts.set(layout, fields);
  }
  return fields;
}

/** Takes fields from bytes, one after another. */
export class Reader {
  constructor(bytes, position = 0, end = bytes.length, fields = []) {
    Object.assign(this, { bytes, position, end: Math.min(end, bytes.length), fields, isShort: false });
  }

  get left() {
    return Math.max(0, this.end - this.position);
  }

  add(name, shown, offset, length, raw = null) {
    const field = new Field(name, String(shown), offset, length, raw);
    this.fields.push(field);
    return field;
  }

  /** One field of a type in `TYPES`, `bytesN`, `textN`, or `ad` for all that is left. Returns its number. */
  take(name, type) {
    if (type === "ad") return this.group(name, `${this.left} bytes`, this.left, decodeAdvertising);
    const sized = /^(bytes|text)(\d+)$/.exec(type);
    const [length, show] = sized
      ? [Number(sized[2]), sized[1] === "text" ? (b, o, n) => JSON.stringify(text(b, o, o + n)) : hexAt]
      : TYPES[type] ?? [0, hexAt];
    if (this.left < length) {
      if (!this.isShort) this.add(name, "cut off", this.position, this.left);
      this.isShort = true;
      this.position = this.end;
      return 0;
    }
    const offset = this.position;
    const raw = length <= 6 ? number(this.bytes, offset, length) : null;
    this.add(name, show(this.bytes, offset, length), offset, length, { type, number: raw });
    this.position += length;
    return raw;
  }

  layout(text) {
    for (const [name, type] of parsed(text)) if (!this.isShort) this.take(name, type);
    return this;
  }

  uuid(name, length) {
    if (this.left < length) return this.take(name, `bytes${length}`);
    this.add(name, uuid(this.bytes, this.position, length), this.position, length);
    this.position += length;
  }

  /** What is left, as a value. */
  rest(name) {
    if (this.left) this.add(name, value(this.bytes, this.position, this.end), this.position, this.left);
    this.position = this.end;
  }

  /** A part of these bytes as a field with fields of its own. */
  group(name, shown, length, decode) {
    const end = Math.min(this.end, this.position + length);
    const field = this.add(name, shown, this.position, end - this.position);
    const inner = new Reader(this.bytes, this.position, end);
    decode(inner);
    field.children = inner.fields;
    this.position = end;
    return field;
  }
}

function hexAt(bytes, offset, length) {
  return hex(bytes, offset, offset + length);
}
