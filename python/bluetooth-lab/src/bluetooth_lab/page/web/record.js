// A record: what it was made of, unpacked, and all of it as events in the order of time.
import { Capture } from "./btsnoop.js";
import { Messages } from "./bus.js";
import { filesOf, inflated } from "./embedded.js";
import { Extras, Lines, programName } from "./lines.js";
import { Packets } from "./packets.js";

const NOTES_OF_TESTS = "BluetoothLab";
const MARK = /^mark-[0-9a-f]+$/; // by which lab-bundle sees that the recorder has caught up
// Lanes in their order; the others follow, those of programs last but for the test's.
const FIRST = ["radio", "mgmt", "bus", "bluetoothd"];
const TITLES = { mgmt: "management", bus: "D-Bus", test: "test" };

const EMBEDDED = new RegExp(
  String.raw`type="application/octet-stream" data-record="(\w+)" data-file="([\w.]+)">([\w+/=]*)<`, "g");

/** The record of this name among those that this page has, by the elements of its files; null if there is none. */
export function embeddedRecord(name) {
  return openRecord(filesOf(name));
}

/** The record that another page has. */
export function recordIn(html) {
  const files = [...html.matchAll(EMBEDDED)].filter((match) => match[1] === "this");
  return openRecord(files.map((match) => [match[2], match[3]]));
}

async function openRecord(compressed) {
  const files = {};
  for (const [name, base64] of compressed) files[name] = await inflated(base64);
  if (!files["about.json"]) return null;
  const text = (file) => new TextDecoder().decode(files[file] ?? new Uint8Array());
  return new Record(JSON.parse(text("about.json")), files["hci.btsnoop"], text("bus.log"), text("lines.log"),
    text("lanes.jsonl"));
}

/** `events`: arrays of the same length in the order of time; `sources[i].list`'s element `refs[i]` is event i. */
export class Record {
  constructor(about, capture, trace, printed, extra) {
    this.about = about;
    this.packets = new Packets(new Capture(capture));
    this.messages = new Messages(trace);
    this.lines = new Lines();
    this.extras = new Extras(extra);
    this.lines.addAll(printed);
    const hasTestLines = this.lines.list.some((line) => line.source === "test");
    for (let index = 0; index < this.packets.count; index++) {
      if (!this.packets.isNote(index)) continue;
      const [program, text] = this.packets.noteOf(index);
      if (program === NOTES_OF_TESTS && (hasTestLines || MARK.test(text))) continue;
      const source = program === NOTES_OF_TESTS ? "test" : program;
      for (const line of text.split("\n")) this.lines.add(this.packets.capture.times[index], source, line);
    }
    this.merge();
    this.texts = new Map();
  }

  merge() {
    const { packets, messages, lines, extras } = this;
    const found = [];
    const start = Math.round((this.about.start ?? 0) * 1e6);
    for (let ref = 0; ref < packets.count; ref++) {
      const time = packets.capture.times[ref];
      if (!packets.isNote(ref) && time >= start) found.push([time, packets, ref, packets.laneOf(ref)]);
    }
    messages.list.forEach((message, ref) => found.push([message.time, messages, ref, "bus"]));
    for (const source of [lines, extras]) {
      source.list.forEach((line, ref) => found.push([line.time, source, ref, source.laneOf(ref)]));
    }
    const end = this.about.end ? Math.round(this.about.end * 1e6) : Infinity;
    const kept = found.filter((event) => event[0] <= end && Number.isFinite(event[0])).sort((a, b) => a[0] - b[0]);
    this.count = kept.length;
    this.times = Float64Array.from(kept, (event) => event[0]);
    this.sources = kept.map((event) => event[1]);
    this.refs = Uint32Array.from(kept, (event) => event[2]);
    this.start = start || (this.times[0] ?? 0);
    this.end = Math.max(this.times.at(-1) ?? 0, this.start + 1);
    this.makeLanes(kept);
    this.findDevices();
  }

  /** A lane for each name that an event has. */
  makeLanes(events) {
    const names = [...new Set(events.map((event) => event[3]))].sort((a, b) => rank(a) - rank(b) || compare(a, b));
    this.lanes = names.map((name, index) => {
      const controller = /^hci(\d+)$/.exec(name);
      const address = controller ? this.packets.addresses.get(Number(controller[1])) : null;
      return { name, index, title: TITLES[name] ?? name, detail: address ?? "", hue: hueOf(name, index), count: 0 };
    });
    const numbers = new Map(names.map((name, index) => [name, index]));
    this.laneOf = Uint16Array.from(events, (event) => numbers.get(event[3]));
    for (const lane of this.laneOf) this.lanes[lane].count += 1;
  }

  findDevices() {
    this.devices = new Map();
    this.deviceOf = new Array(this.count);
    this.controllerOf = new Int32Array(this.count);
    this.failures = [];
    this.isRoutine = new Uint8Array(this.count);
    for (let event = 0; event < this.count; event++) {
      const source = this.sources[event];
      const ref = this.refs[event];
      const device = source === this.packets ? source.devices[ref] : source.deviceOf(ref);
      this.deviceOf[event] = device;
      const devices = source.devicesOf?.(ref) ?? (device ? [device] : []);
      for (const one of devices) this.devices.set(one, (this.devices.get(one) ?? 0) + 1);
      this.controllerOf[event] = source.controllerOf(ref);
      this.isRoutine[event] = source.isRoutine?.(ref) ? 1 : 0;
      if (source !== this.packets && source !== this.messages && source.isFailure(ref)) this.failures.push(event);
    }
  }

  /** Whether an event is about a device, or a controller, perhaps beside others. */
  isAbout(event, device) {
    return this.deviceOf[event] === device
      || (this.sources[event].devicesOf?.(this.refs[event]).includes(device) ?? false);
  }

  isAtController(event, number) {
    return this.controllerOf[event] === number
      || (this.sources[event].controllersOf?.(this.refs[event]).includes(number) ?? false);
  }

  /** The events of packets, messages and lines by their numbers there. */
  eventOf(source, ref) {
    if (!this.eventsBySource) {
      const sources = [this.packets, this.messages, this.lines, this.extras];
      this.eventsBySource = new Map(sources.map((one) => [one, new Map()]));
      for (let event = 0; event < this.count; event++) {
        this.eventsBySource.get(this.sources[event]).set(this.refs[event], event);
      }
    }
    return this.eventsBySource.get(source).get(ref) ?? -1;
  }

  /** An event in one line; kept for the rows that are shown again. */
  text(event) {
    let text = this.texts.get(event);
    if (text === undefined) {
      if (this.texts.size > 20000) this.texts.clear();
      text = this.sources[event].summary(this.refs[event]).replace(/\s+/g, " ");
      this.texts.set(event, text);
    }
    return text;
  }

  arrow(event) {
    return this.sources[event].arrow(this.refs[event]);
  }

  key(event) {
    return this.sources[event].key(this.refs[event]);
  }

  group(event) {
    return this.sources[event].group(this.refs[event]);
  }

  /** The first event at a time or later. */
  eventAt(time) {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function rank(name) {
  if (/^hci\d+$/.test(name)) return 0;
  const place = FIRST.indexOf(name);
  if (place >= 0) return place + 1;
  return name === "test" ? 9 : 5;
}

function compare(a, b) {
  return a.localeCompare(b, "en", { numeric: true });
}

const HUES = { radio: 8, mgmt: 4, bus: 5, bluetoothd: 6, test: 0 };

/** One of the colours of page.css; the same program has the same one in every record. */
function hueOf(name, index) {
  if (name in HUES) return HUES[name];
  const controller = /^hci(\d+)$/.exec(name);
  if (controller) return 1 + (Number(controller[1]) % 3);
  let sum = 0;
  for (const letter of programName(name)) sum = (sum * 31 + letter.charCodeAt(0)) % 1009;
  return 7 + (sum % 4);
}
