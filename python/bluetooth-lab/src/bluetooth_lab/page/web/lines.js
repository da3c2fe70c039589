// Lines with their times: those that programs have printed, bluetoothd's log, and the test's own.

const ADDRESS = /\b[0-9A-F]{2}(?::[0-9A-F]{2}){5}\b|dev(?:_[0-9A-F]{2}){6}/;
const WORD = /\b[0-9A-F]{2}(?::[0-9A-F]{2}){5}\b|\w+/g;
const NUMBER = /^[a-f]*\d[0-9a-f]*$/i;
const FAILURE = /^(failure: |lab: .* failed)/;

export class Lines {
  constructor() {
    this.list = [];
  }

  get count() {
    return this.list.length;
  }

  add(time, source, text) {
    this.list.push({ time, source, text });
  }

  /** What the page's maker has written: microseconds, source and text, between tabs. */
  addAll(text) {
    for (const line of text.split("\n")) {
      const first = line.indexOf("\t");
      const second = line.indexOf("\t", first + 1);
      if (second > 0) this.add(Number(line.slice(0, first)), line.slice(first + 1, second), line.slice(second + 1));
    }
  }

  laneOf(index) {
    const { source } = this.list[index];
    return source === "output" ? "test" : source;
  }

  isFailure(index) {
    const { source, text } = this.list[index];
    return source === "test" && FAILURE.test(text);
  }

  deviceOf(index) {
    const found = ADDRESS.exec(this.list[index].text)?.[0];
    return found ? found.replace(/^dev_/, "").replaceAll("_", ":") : null;
  }

  controllerOf(index) {
    const found = /\bhci(\d+)\b/.exec(this.list[index].text);
    return found ? Number(found[1]) : -1;
  }

  arrow() {
    return "";
  }

  summary(index) {
    return this.list[index].text;
  }

  /** What its order is compared with: in bluetoothd's log, the lines of the same function. */
  group(index) {
    return /^\S+\.c:\w+\(\)/.exec(this.list[index].text)?.[0] ?? "";
  }

  /** What two runs have in common: no numbers but those of errors, no times and pointers. */
  key(index) {
    const { source, text } = this.list[index];
    return `${programName(source)} ` + text
      .replace(/\b[0-9A-F]{8}-[0-9A-F-]{27}\b|\b0x[0-9a-f]+\b/gi, "#")
      .replace(/"(time|seed|pid|socket|value)":("[^"]*"|[\d.]+)/g, '"$1":#')
      .replace(/(service|char|desc)[0-9a-f]{4}/g, "$1")
      .replace(WORD, (word) => (word.includes(":") || !NUMBER.test(word) ? word : "#"));
  }
}

/** `dittojay[883]` is dittojay in every run. */
export function programName(source) {
  return source.replace(/\[\d+\]$/, "");
}

/** Events of other lanes, such as the radio's: JSON lines with `time` in seconds, `lane`, `text`, and if they like
 * `devices`, `controllers`, `fields` and `routine`. */
export class Extras {
  constructor(text) {
    this.list = [];
    for (const line of text.split("\n")) {
      const event = jsonOf(line);
      if (Number.isFinite(event?.time) && event.lane) this.list.push({ ...event, time: Math.round(event.time * 1e6) });
    }
  }

  get count() {
    return this.list.length;
  }

  laneOf(index) {
    return String(this.list[index].lane);
  }

  isFailure() {
    return false;
  }

  deviceOf(index) {
    return this.devicesOf(index)[0] ?? null;
  }

  controllerOf(index) {
    return this.controllersOf(index)[0] ?? -1;
  }

  /** All that it is about. */
  devicesOf(index) {
    const { devices, device } = this.list[index];
    return (Array.isArray(devices) ? devices : device ? [device] : []).map(String);
  }

  controllersOf(index) {
    const { controllers, controller } = this.list[index];
    return (Array.isArray(controllers) ? controllers : Number.isInteger(controller) ? [controller] : []);
  }

  isRoutine(index) {
    return this.list[index].routine === true;
  }

  arrow() {
    return "";
  }

  summary(index) {
    return String(this.list[index].text ?? "");
  }

  group() {
    return "";
  }

  key(index) {
    return `${this.laneOf(index)} ${this.summary(index).replace(/[\d.]+/g, "#")}`;
  }
}

function jsonOf(line) {
  try {
    return line ? JSON.parse(line) : null;
  } catch {
    return null;
  }
}
