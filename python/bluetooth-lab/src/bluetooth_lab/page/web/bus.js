// The messages on the system bus, as dbus-monitor prints them.

const HEADLINE = new RegExp(
  String.raw`^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+  )?(signal|method call|method return|error) `
    + String.raw`time=(\d+)\.(\d{6})([^\n]*)$`, "gm");
const PARTS = new RegExp(
  String.raw` sender=(\S+) -> destination=(\(null destination\)|\S+)(?: error_name=(\S+))?(?: serial=(\d+))?`
    + String.raw`(?: reply_serial=(\d+))?(?: path=([^;]*); interface=([^;]*); member=(\S+))?`);
const BUS = "org.freedesktop.DBus";
const SEARCHED = 4000; // characters of a content, for words of one line
const BYTES = String.raw`array of bytes [["]([^\]"]*)`;
const PROPERTIES = new RegExp(
  String.raw`string "([^"\n]*)"\n\s+variant +(?:${BYTES}|[a-z0-9 ]+? ("[^\n]*"|[^\s[(]+)\n)`, "g");
const TEXTS_OF_BODY = new RegExp(
  String.raw`^ +(?:string|object path|byte|boolean|u?int\d+|double) ("[^\n]*"|\S+)$|${BYTES}`, "gm");
const DEVICE = /dev((?:_[0-9A-F]{2}){6})/;
const KINDS = { "method call": "call", "method return": "return", signal: "signal", error: "error" };

/** All messages. `pairs[i]`: the answer to a call, and the call of an answer; -1 for none. */
export class Messages {
  constructor(trace) {
    this.trace = trace;
    this.list = [];
    for (const match of trace.matchAll(HEADLINE)) {
      const [line, kind, seconds, micros, rest] = match;
      const parts = PARTS.exec(rest) ?? [];
      if (this.list.length) this.list.at(-1).end = match.index;
      this.list.push({
        kind: KINDS[kind], time: Number(seconds) * 1e6 + Number(micros), sender: parts[1] ?? "?",
        destination: parts[2]?.startsWith("(") ? "" : parts[2] ?? "", error: parts[3] ?? "", serial: parts[4] ?? "",
        reply: parts[5] ?? "", path: parts[6] ?? "", interface: parts[7] ?? "", member: parts[8] ?? "",
        start: match.index + line.length + 1, end: trace.length,
      });
    }
    this.pairUp();
  }

  get count() {
    return this.list.length;
  }

  pairUp() {
    this.pairs = new Int32Array(this.count).fill(-1);
    this.owners = new Map();
    const open = new Map();
    this.list.forEach((message, index) => {
      if (message.kind === "call") open.set(`${message.sender} ${message.serial}`, index);
      else if (message.reply) {
        const call = open.get(`${message.destination} ${message.reply}`);
        if (call === undefined) return;
        open.delete(`${message.destination} ${message.reply}`);
        this.pairs[call] = index;
        this.pairs[index] = call;
        const name = this.list[call].destination;
        if (!name.startsWith(":")) this.owners.set(message.sender, name);
      }
    });
  }

  body(index) {
    const { start, end } = this.list[index];
    return this.trace.slice(start, end).replace(/\s+$/, "");
  }

  /** The call that an answer belongs to, or the message itself. */
  callOf(index) {
    const call = this.list[index].reply ? this.pairs[index] : index;
    return call >= 0 ? this.list[call] : null;
  }

  nameOf(connection) {
    return this.owners.get(connection) ?? connection;
  }

  deviceOf(index) {
    const { path, start, end } = this.list[index];
    const found = DEVICE.exec(path) ?? DEVICE.exec(this.trace.slice(start, Math.min(end, start + SEARCHED)))
      ?? DEVICE.exec(this.callOf(index)?.path ?? "");
    return found ? found[1].slice(1).replaceAll("_", ":") : null;
  }

  controllerOf(index) {
    const { path, start, end } = this.list[index];
    const places = [path, this.callOf(index)?.path ?? "", this.trace.slice(start, Math.min(end, start + 400))];
    const found = places.map((place) => /\/hci(\d+)/.exec(place)).find(Boolean);
    return found ? Number(found[1]) : -1;
  }

  arrow(index) {
    return { call: "→", return: "←", error: "✕", signal: "•" }[this.list[index].kind];
  }

  summary(index) {
    const message = this.list[index];
    const call = this.callOf(index);
    const what = call ?? message;
    const words = [`${short(what.interface)}.${what.member || "?"}`];
    if (message.kind === "error") words.push(message.error);
    if (message.path && message.path !== "/") words.push(message.path.replace(/^\/org\/(bluez|freedesktop)\//, ""));
    words.push(...this.words(index, message.kind === "return" ? 3 : 5));
    const way = message.destination ? ` to ${this.nameOf(message.destination)}` : "";
    words.push(`${this.nameOf(message.sender)}${way}`);
    const kind = message.kind === "call" ? "" : `${message.kind} `;
    return kind + words.join(" · ");
  }

  /** Properties with their values, or the first texts of the content. */
  words(index, most) {
    const { start, end } = this.list[index];
    const body = this.trace.slice(start, Math.min(end, start + SEARCHED));
    const words = [];
    for (const [, name, bytes, plain] of body.matchAll(PROPERTIES)) {
      words.push(`${name} ${bytes === undefined ? plain : bytes.trim().replace(/\s+/g, " ")}`);
      if (words.length === most) return words;
    }
    if (words.length) return words;
    for (const [, plain, bytes] of body.matchAll(TEXTS_OF_BODY)) {
      const word = plain ?? bytes.trim().replace(/\s+/g, " ");
      words.push(word.length > 90 ? `${word.slice(0, 90)}…` : word);
      if (words.length === most) break;
    }
    return words;
  }

  /** Whether it only concerns the bus itself, such as AddMatch. */
  isRoutine(index) {
    const { sender, destination, member, kind } = this.list[index];
    return sender === BUS ? kind !== "signal" || member === "NameAcquired" : destination === BUS;
  }

  /** What its order is compared with: the messages of the same object, whose handles and numbers differ from run to
   * run. */
  group(index) {
    const { path } = this.callOf(index) ?? this.list[index];
    return path.startsWith("/org/bluez/hci")
      ? path.replace(/(service|char|desc)[0-9a-f]{4}/g, "$1") : path.replace(/\d+/g, "#");
  }

  /** What two runs have in common: no serials, no names of connections, no numbers of handles. */
  key(index) {
    const message = this.list[index];
    const what = this.callOf(index) ?? message;
    if (message.sender === BUS || message.destination === BUS) return "";
    const states = /\bstring "([A-Z]\w*)"\n\s+variant +boolean (true|false)/g;
    const body = this.trace.slice(message.start, Math.min(message.end, message.start + SEARCHED));
    const told = [...body.matchAll(states)].map(([, name, state]) => `${name}=${state}`);
    return [message.kind, this.group(index), what.interface, what.member, message.error, ...told].join(" ");
  }
}

function short(name) {
  return name.replace(/^org\.(bluez|freedesktop\.DBus)\./, "");
}
