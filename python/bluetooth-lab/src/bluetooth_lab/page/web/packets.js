// The packets of a capture as events: which link each belongs to, PDUs put together, requests and their answers.
import { attName, hasHandle, isOfServer, isRequest, learnTypes, requestOf } from "./att.js";
import { OP } from "./btsnoop.js";
import { number, text } from "./bytes.js";
import { decodePacket, linkChange } from "./hci.js";
import { ATT_CHANNEL } from "./l2cap.js";

const COMPLETED_PACKETS = 0x13;
const isACL = (opcode) => opcode === OP.aclOut || opcode === OP.aclIn;
const isControl = (opcode) => opcode >= OP.controlOpen && opcode <= OP.controlEvent;

/** A link between a controller and a peer, from its beginning to its end. `types`: names of attributes' UUIDs, of the
 * peer's server and of the local one. */
class Link {
  constructor(controller, handle, peer) {
    Object.assign(this, { controller, handle, peer, types: { peer: new Map(), local: new Map() } });
    this.requests = { peer: -1, local: -1 };
  }
}

/** `links[i]`: the link of packet i. `pairs[i]`: the answer to a request, and the request of an answer; -1 for none.
 * `attOpcodes`, `attHandles`: of ATT packets; 0 otherwise. */
export class Packets {
  constructor(capture) {
    this.capture = capture;
    this.addresses = new Map();
    this.links = new Array(capture.count).fill(null);
    this.pairs = new Int32Array(capture.count).fill(-1);
    this.attOpcodes = new Uint8Array(capture.count);
    this.attHandles = new Uint16Array(capture.count);
    this.devices = new Array(capture.count).fill(null);
    this.pdus = new Map();
    this.continues = new Set();
    this.open = new Map();
    this.unfinished = new Map();
    this.commands = new Map();
    for (let index = 0; index < capture.count; index++) this.follow(index);
    for (const name of ["open", "unfinished", "commands"]) delete this[name];
  }

  get count() {
    return this.capture.count;
  }

  laneOf(index) {
    const opcode = this.capture.opcodes[index];
    if (isControl(opcode)) return "mgmt";
    const controller = this.capture.controllers[index];
    return opcode === OP.systemNote || controller === 0xffff ? "mgmt" : `hci${controller}`;
  }

  /** Programs' notes between the packets: bluetoothd's log, and the test's. */
  isNote(index) {
    return this.capture.opcodes[index] === OP.note;
  }

  noteOf(index) {
    const bytes = this.capture.content(index);
    const length = bytes[1] ?? 0;
    return [text(bytes, 2, 2 + length), text(bytes, 2 + length, bytes.length).trimEnd()];
  }

  /** Whether it is the controller's mere acknowledgement of data. */
  isRoutine(index) {
    return this.capture.opcodes[index] === OP.event && this.capture.content(index)[0] === COMPLETED_PACKETS;
  }

  controllerOf(index) {
    const controller = this.capture.controllers[index];
    return controller === 0xffff ? -1 : controller;
  }

  follow(index) {
    const opcode = this.capture.opcodes[index];
    if (isACL(opcode)) return this.followACL(index, opcode === OP.aclOut);
    if (opcode === OP.note || opcode === OP.systemNote) return;
    const bytes = this.capture.content(index);
    const controller = this.capture.controllers[index];
    if (opcode === OP.event && bytes[0] === COMPLETED_PACKETS) {
      this.links[index] = this.open.get((controller << 16) | (number(bytes, 3, 2) & 0xfff)) ?? null;
      this.devices[index] = this.links[index]?.peer ?? null;
      return;
    }
    if (opcode === OP.event) this.followLink(controller, bytes, index);
    this.followFields(index, opcode, controller);
  }

  followLink(controller, bytes, index) {
    const change = linkChange(bytes);
    if (!change || change.status !== 0) return;
    const key = (controller << 16) | change.handle;
    if (change.ends) {
      this.links[index] = this.open.get(key) ?? null;
      this.open.delete(key);
    } else {
      this.open.set(key, new Link(controller, change.handle, change.peer));
      this.links[index] = this.open.get(key);
    }
  }

  /** The device and the command that an event or a command is about. */
  followFields(index, opcode, controller) {
    const { fields, name } = this.decode(index);
    const find = (type) => fields.find((field) => field.raw?.type === type);
    const shown = find("addr");
    if (opcode === OP.newIndex || opcode === OP.indexInfo || name === "Read BD ADDR") {
      if (shown && shown.value !== "00:00:00:00:00:00") this.addresses.set(controller, shown.value);
      return;
    }
    const handle = find("handle");
    if (handle && !this.links[index]) {
      this.links[index] = this.open.get((controller << 16) | handle.raw.number) ?? null;
    }
    if (shown && shown.value !== "00:00:00:00:00:00") this.devices[index] = shown.value;
    else this.devices[index] = this.links[index]?.peer ?? null;
    this.pairCommand(index, opcode, controller, fields);
  }

  pairCommand(index, opcode, controller, fields) {
    const bytes = this.capture.content(index);
    let asks = "";
    let answers = "";
    if (opcode === OP.command) asks = `c${controller}:${number(bytes, 0, 2)}`;
    else if (opcode === OP.controlCommand) asks = `m${controller}:${number(bytes, 4, 2)}`;
    else if (opcode === OP.event) {
      const answered = fields.find((field) => field.raw?.type === "opcode");
      if (answered) answers = `c${controller}:${answered.raw.number}`;
    } else if (opcode === OP.controlEvent && number(bytes, 4, 2) <= 2) {
      answers = `m${controller}:${number(bytes, 6, 2)}`;
    }
    if (asks) this.commands.set(asks, index);
    else if (this.commands.has(answers)) {
      this.pair(this.commands.get(answers), index);
      this.commands.delete(answers);
    }
  }

  pair(request, answer) {
    this.pairs[request] = answer;
    this.pairs[answer] = request;
  }

  followACL(index, isOut) {
    const bytes = this.capture.content(index);
    const controller = this.capture.controllers[index];
    const handle = number(bytes, 0, 2);
    const key = (controller << 16) | (handle & 0xfff);
    const link = this.open.get(key) ?? new Link(controller, handle & 0xfff, null);
    this.open.set(key, link); // of a link that was there before the record
    this.links[index] = link;
    this.devices[index] = link.peer;
    const part = `${key}${isOut}`;
    if (((handle >> 12) & 3) === 1) {
      this.continues.add(index);
      const begun = this.unfinished.get(part);
      if (!begun) return;
      begun.parts.push(bytes.subarray(4));
      begun.missing -= bytes.length - 4;
      if (begun.missing > 0) return;
      this.unfinished.delete(part);
      this.pdus.set(begun.index, joined(begun.parts));
      this.followPDU(begun.index, this.pdus.get(begun.index), link, isOut);
      return;
    }
    this.unfinished.delete(part);
    const missing = number(bytes, 4, 2) + 4 - (bytes.length - 4);
    if (missing > 0) this.unfinished.set(part, { index, missing, parts: [bytes.subarray(4)] });
    else this.followPDU(index, bytes.subarray(4), link, isOut);
  }

  followPDU(index, frame, link, isOut) {
    if (number(frame, 2, 2) !== ATT_CHANNEL || frame.length < 5) return;
    const pdu = frame.subarray(4);
    const opcode = pdu[0];
    this.attOpcodes[index] = opcode;
    const server = isOfServer(opcode) === isOut ? "local" : "peer";
    if (isRequest(opcode)) {
      link.requests[server] = index;
    } else if (isOfServer(opcode) && ![0x1b, 0x1d, 0x23].includes(opcode)) {
      const request = link.requests[server];
      link.requests[server] = -1;
      if (request >= 0) {
        this.pair(request, index);
        this.attHandles[index] = this.attHandles[request];
        learnTypes(pdu, this.requestAt(request), (handle, name) => link.types[server].set(handle, name));
      }
    }
    if (hasHandle(opcode)) this.attHandles[index] = number(pdu, 1, 2);
    else if (opcode === 0x23) this.attHandles[index] = number(pdu, 1, 2);
  }

  /** The frame of L2CAP that begins in a packet. */
  frame(index) {
    return this.pdus.get(index) ?? this.capture.content(index).subarray(4);
  }

  requestAt(index) {
    return index >= 0 ? requestOf(this.frame(index).subarray(4)) : null;
  }

  decode(index) {
    const opcode = this.capture.opcodes[index];
    const bytes = this.capture.content(index);
    const context = { begins: !this.continues.has(index), pdu: this.pdus.get(index), request: null, typeOf: null };
    if (isACL(opcode) && context.begins) {
      const att = this.attOpcodes[index];
      const server = isOfServer(att) === (opcode === OP.aclOut) ? "local" : "peer";
      const types = this.links[index]?.types[server];
      context.typeOf = (handle) => types?.get(handle);
      if (isOfServer(att)) context.request = this.requestAt(this.pairs[index]);
    }
    return decodePacket(opcode, bytes, context);
  }

  /** `→` to the controller, `←` from it. */
  arrow(index) {
    const opcode = this.capture.opcodes[index];
    if (opcode === OP.command || opcode === OP.aclOut || opcode === OP.controlCommand) return "→";
    return opcode === OP.event || opcode === OP.aclIn || opcode === OP.controlEvent ? "←" : "";
  }

  summary(index) {
    return this.decode(index).summary;
  }

  /** What its order is compared with: both ends of a link may ask the other one at the same time. */
  group(index) {
    const att = this.attOpcodes[index];
    if (!att) return isACL(this.capture.opcodes[index]) ? "data" : "";
    return isOfServer(att) === (this.capture.opcodes[index] === OP.aclOut) ? "as server" : "as client";
  }

  /** What two runs have in common: names and statuses, no handles, times and values. */
  key(index) {
    if (this.isRoutine(index)) return "";
    const decoded = this.decode(index);
    const att = this.attOpcodes[index];
    if (att) {
      const type = /0x[0-9a-f]{4} ([^·]*\([0-9a-f-]+\))/.exec(decoded.summary)?.[1] ?? "";
      const error = att === 1 ? decoded.words.slice(0, 2).join(" ") : "";
      return `${this.arrow(index)} ${attName(att)} ${type} ${error}`;
    }
    const status = decoded.fields.find((field) => field.name === "Status" || field.name === "Reason")?.value ?? "";
    const command = decoded.fields.find((field) => field.name === "Command")?.value ?? "";
    const states = decoded.fields.filter((field) => field.raw?.type === "onoff").map((field) => field.value);
    return [this.arrow(index), decoded.name, command, status, ...states, this.devices[index] ?? ""].join(" ");
  }
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.length;
  }
  return whole;
}
