// What an event has to do with others: the call that caused a packet, its answer, the same packet at the other
// controller, what followed. Found when an event is looked at, among those shortly before and after.
import { hasHandle } from "./att.js";
import { OP } from "./btsnoop.js";
import { hex, hexNumber, number } from "./bytes.js";

const REACH = 400; // events to each side
const CAUSE_REACH = 5e6; // microseconds
const NEAR = 50e3;
const LOG_REACH = 200e3;
const WRITES = new Set([0x12, 0x16, 0x52, 0xd2]);
const READS = new Set([0x0a, 0x0c]);
const NOTIFICATIONS = new Set([0x1b, 0x1d, 0x23]);

/** `[{label, event}]`, causes first. */
export function related(record, event) {
  const found = [];
  const add = (label, other) => {
    if (other >= 0 && other !== event && !found.some((one) => one.event === other)) found.push({ label, event: other });
  };
  const source = record.sources[event];
  if (source === record.packets) relatePacket(record, event, add);
  else if (source === record.messages) relateMessage(record, event, add);
  if (!found.some(({ label }) => label.startsWith("caused"))) {
    add("just before", nearest(record, event, -1));
  }
  add("just after", nearest(record, event, 1));
  return found;
}

function* around(record, event, direction, reach = CAUSE_REACH) {
  for (let step = 1; step <= REACH; step++) {
    const other = event + direction * step;
    if (other < 0 || other >= record.count) return;
    if (Math.abs(record.times[other] - record.times[event]) > reach) return;
    yield other;
  }
}

function find(record, event, direction, condition) {
  for (const other of around(record, event, direction)) if (condition(other)) return other;
  return -1;
}

/** The handles in the path of a GATT object: those of the characteristic's declaration and of the descriptor. */
function handlesOf(path) {
  const handle = (pattern) => parseInt(pattern.exec(path)?.[1] ?? "0", 16);
  return { char: handle(/char([0-9a-f]{4})/), desc: handle(/desc([0-9a-f]{4})/) };
}

/** Whether a call on GATT makes bluetoothd send a request about this handle. */
export function causes(message, opcode, handle) {
  const { char, desc } = handlesOf(message.path);
  if (!char || !message.path.includes("/dev_")) return false;
  if (/^(Start|Stop|Acquire)Notify$/.test(message.member)) {
    return WRITES.has(opcode) && handle > char && handle <= char + 4;
  }
  const isMeant = desc ? handle === desc : handle === char + 1;
  if (message.member === "ReadValue") return isMeant && READS.has(opcode);
  return (message.member === "WriteValue" || message.member === "AcquireWrite") && isMeant && WRITES.has(opcode);
}

function isAt(message, packets, ref) {
  const controller = /\/hci(\d+)/.exec(message.path);
  if (controller && Number(controller[1]) !== packets.controllerOf(ref)) return false;
  const device = packets.devices[ref];
  return !device || !message.path.includes("/dev_") || message.path.includes(device.replaceAll(":", "_"));
}

function relatePacket(record, event, add) {
  const { packets } = record;
  const ref = record.refs[event];
  const pair = packets.pairs[ref];
  const opcode = packets.attOpcodes[ref];
  const isFirst = pair < 0 || pair > ref;
  const request = isFirst ? ref : pair;
  const from = record.eventOf(packets, request);
  const isAnswerOfServer = !isFirst && opcode > 0 && packets.capture.opcodes[ref] === OP.aclOut;
  const call = from >= 0 ? causeOf(record, isAnswerOfServer ? event : from) : -1;
  if (call >= 0) add("caused by", call);
  if (!isFirst) add("answer to", from);
  if (pair >= 0 && isFirst) add("answered by", record.eventOf(packets, pair));
  if (call >= 0) add("call returned", answerOf(record, call));
  if (opcode) {
    const same = samePacket(record, event);
    if (same >= 0) add(record.times[same] < record.times[event] ? "sent as" : "received as", same);
    add(...follows(record, event));
  }
  add("logged as", logOf(record, event));
  if (!opcode && packets.capture.opcodes[ref] === OP.event) {
    const signal = signalAfter(record, event);
    if (signal >= 0) add("reported by", signal);
  }
}

function answerOf(record, call) {
  const answer = record.messages.pairs[record.refs[call]];
  return answer >= 0 ? record.eventOf(record.messages, answer) : -1;
}

/** The call on the bus that made the kernel or bluetoothd send a packet. */
function causeOf(record, event) {
  const { packets, messages } = record;
  const ref = record.refs[event];
  const att = packets.attOpcodes[ref];
  const kind = packets.capture.opcodes[ref];
  if (kind === OP.aclIn || kind === OP.event) return -1;
  const isCall = (other) => record.sources[other] === messages && messages.list[record.refs[other]].kind === "call";
  if (att && packets.pairs[ref] >= 0 && packets.pairs[ref] < ref) return answerOfServer(record, event);
  if (att && NOTIFICATIONS.has(att)) {
    return find(record, event, -1, (other) => record.sources[other] === messages
      && messages.list[record.refs[other]].kind === "signal" && /"Value"/.test(messages.body(record.refs[other]))
      && !messages.list[record.refs[other]].path.includes("/dev_"));
  }
  if (att) {
    return find(record, event, -1, (other) => isCall(other)
      && causes(messages.list[record.refs[other]], att, packets.attHandles[ref])
      && isAt(messages.list[record.refs[other]], packets, ref));
  }
  const members = MEMBERS[packets.decode(ref).name];
  return members ? find(record, event, -1, (other) => isCall(other)
    && members.includes(messages.list[record.refs[other]].member)
    && isAt(messages.list[record.refs[other]], packets, ref)) : -1;
}

/** What a program answered bluetoothd, which made it answer the client. */
function answerOfServer(record, event) {
  const { packets, messages } = record;
  const device = packets.devices[record.refs[event]];
  const request = packets.pairs[record.refs[event]];
  return find(record, event, -1, (other) => {
    if (record.sources[other] !== messages) return false;
    const call = messages.pairs[record.refs[other]];
    if (!messages.list[record.refs[other]].reply || call < 0) return false;
    const { member, path, time } = messages.list[call];
    return /^(Read|Write)Value$/.test(member) && !path.includes("/dev_") && messages.deviceOf(call) === device
      && time >= packets.capture.times[request];
  });
}

// The calls by which programs ask bluetoothd for what these packets do.
const CONNECT = ["Connect", "Pair", "ConnectDevice"];
const DISCOVER = ["StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "Connect"];
const ADVERTISE = ["RegisterAdvertisement", "UnregisterAdvertisement", "Set"];
const CUT = ["Disconnect", "RemoveDevice"];
const MEMBERS = {
  "LE Create Connection": CONNECT, "LE Extended Create Connection": CONNECT, "LE Add Device To Accept List": CONNECT,
  "Pair Device": ["Pair"], "LE Start Encryption": ["Pair", "Connect"], "Set Powered": ["Set"],
  "LE Set Scan Enable": DISCOVER, "LE Set Scan Parameters": DISCOVER, "LE Set Extended Scan Enable": DISCOVER,
  "LE Set Extended Scan Parameters": DISCOVER, "Start Discovery": DISCOVER, "Start Service Discovery": DISCOVER,
  "Stop Discovery": DISCOVER, "LE Set Advertise Enable": ADVERTISE, "LE Set Advertising Parameters": ADVERTISE,
  "LE Set Advertising Data": ADVERTISE, "LE Set Scan Response Data": ADVERTISE,
  "LE Set Extended Advertising Enable": ADVERTISE, "Add Extended Advertising Parameters": ADVERTISE,
  "Add Extended Advertising Data": ADVERTISE, "Add Advertising": ADVERTISE, "Remove Advertising": ADVERTISE,
  "Set Local Name": ["Set"], "Set Discoverable": ["Set"], "Disconnect": CUT, "Unpair Device": ["RemoveDevice"],
  "Remove Device": ["RemoveDevice", "Disconnect"], "Add Device": CONNECT,
};

/** The same PDU at the other controller: the radio is virtual, and both ends are recorded. */
function samePacket(record, event) {
  const { packets } = record;
  const ref = record.refs[event];
  const frame = packets.frame(ref);
  const wanted = packets.capture.opcodes[ref] === OP.aclOut ? OP.aclIn : OP.aclOut;
  const isSame = (other) => {
    if (record.sources[other] !== packets) return false;
    const its = record.refs[other];
    if (packets.capture.opcodes[its] !== wanted || packets.attOpcodes[its] !== packets.attOpcodes[ref]) return false;
    const content = packets.frame(its);
    return content.length === frame.length && content.every((byte, index) => byte === frame[index]);
  };
  return find(record, event, wanted === OP.aclIn ? 1 : -1, isSame);
}

/** What bluetoothd says on the bus after it has received a PDU. */
function follows(record, event) {
  const { packets, messages } = record;
  const ref = record.refs[event];
  const att = packets.attOpcodes[ref];
  if (packets.capture.opcodes[ref] !== OP.aclIn) return ["", -1];
  const handle = packets.attHandles[ref];
  const condition = (other) => {
    if (record.sources[other] !== messages) return false;
    const message = messages.list[record.refs[other]];
    if (NOTIFICATIONS.has(att)) {
      return message.kind === "signal" && handlesOf(message.path).char === handle - 1 && isAt(message, packets, ref);
    }
    return message.kind === "call" && messages.deviceOf(record.refs[other]) === packets.devices[ref]
      && !message.path.includes("/dev_")
      && ((WRITES.has(att) && message.member === "WriteValue") || (READS.has(att) && message.member === "ReadValue"));
  };
  return [NOTIFICATIONS.has(att) ? "reported by" : "led to", find(record, event, 1, condition)];
}

/** The line of a log that has an attribute's handle or value, or a command's number. */
function logOf(record, event) {
  const { packets, lines } = record;
  const ref = record.refs[event];
  const kind = packets.capture.opcodes[ref];
  const words = [];
  if (packets.attOpcodes[ref]) {
    const pdu = packets.frame(ref).subarray(4);
    const value = hex(pdu, hasHandle(pdu[0]) ? 3 : 1);
    if (packets.attHandles[ref]) words.push(hexNumber(packets.attHandles[ref], 4));
    if (value.length >= 4) words.push(`"${value}"`);
  } else if (kind === OP.controlCommand || kind === OP.controlEvent) {
    const [code, asked] = [4, 6].map((offset) => number(packets.capture.content(ref), offset, 2));
    if (kind === OP.controlCommand) words.push(`command ${hexNumber(code, 4)}`);
    else words.push(code <= 2 ? `command ${hexNumber(asked, 4)}` : `event ${hexNumber(code, 4)}`);
  }
  if (!words.length) return -1;
  for (const other of around(record, event, 1, LOG_REACH)) {
    if (record.sources[other] !== lines) continue;
    const text = record.text(other).toLowerCase();
    if (words.some((word) => text.includes(word))) return other;
  }
  return -1;
}

const UNREPORTED = /^(Number of|Command|LE Read|LE Data Length|LE Channel)/;

function signalAfter(record, event) {
  const { packets, messages } = record;
  const device = packets.devices[record.refs[event]];
  if (!device || UNREPORTED.test(packets.decode(record.refs[event]).name)) return -1;
  const path = device.replaceAll(":", "_");
  return find(record, event, 1, (other) => record.sources[other] === messages
    && messages.list[record.refs[other]].kind === "signal" && messages.list[record.refs[other]].path.includes(path)
    && isAt(messages.list[record.refs[other]], packets, record.refs[event]));
}

function relateMessage(record, event, add) {
  const { packets, messages } = record;
  const ref = record.refs[event];
  const message = messages.list[ref];
  const call = message.kind === "call" ? event : record.eventOf(messages, messages.pairs[ref]);
  if (call < 0) return;
  if (call !== event) add("answer to", call);
  else add("answered by", answerOf(record, call));
  const asked = messages.list[record.refs[call]];
  const packet = find(record, call, 1, (other) => {
    if (record.sources[other] !== packets || !isAt(asked, packets, record.refs[other])) return false;
    const its = record.refs[other];
    const kind = packets.capture.opcodes[its];
    if (kind === OP.aclOut) return causes(asked, packets.attOpcodes[its], packets.attHandles[its]);
    if (kind !== OP.command && kind !== OP.controlCommand) return false;
    return MEMBERS[packets.decode(its).name]?.includes(asked.member) ?? false;
  });
  if (packet < 0) return;
  add("led to", packet);
  const answer = packets.pairs[record.refs[packet]];
  if (answer >= 0) add("answered on the air by", record.eventOf(packets, answer));
}

/** The next event of another lane, or of a log, that is about the same device or controller. */
function nearest(record, event, direction) {
  for (const other of around(record, event, direction, NEAR)) {
    if (record.laneOf[other] === record.laneOf[event] || record.isRoutine[other]) continue;
    const device = record.deviceOf[event];
    if (device ? record.deviceOf[other] === device : record.controllerOf[other] === record.controllerOf[event]) {
      return other;
    }
  }
  return -1;
}
