// The rows of the list: events that pass the filters, or the differences to another record.
import { compareRecords, MISSING, ONLY_HERE, SAME } from "./compare.js";

const CONTEXT = 2; // common events shown around a difference
const LEAST_FOLDED = 4;

/** What the filters let through: `{record, event, kind}` for each row; `folded` is a number of common events. */
export class Rows {
  constructor(record) {
    Object.assign(this, { record, hidden: new Set(), device: "", from: -Infinity, to: Infinity, search: null });
    this.showsRoutine = false;
    this.events = new Uint32Array();
    this.differences = null;
    this.isComparing = false;
    this.opened = new Set();
  }

  get length() {
    return this.isComparing ? this.rows.length : this.events.length;
  }

  at(index) {
    return this.isComparing ? this.rows[index] : { record: this.record, event: this.events[index], kind: SAME };
  }

  compareWith(other) {
    this.other = other;
    this.differences = compareRecords(this.record, other);
    this.opened.clear();
  }

  passesLane(record, event) {
    return record !== this.record || !this.hidden.has(record.laneOf[event]);
  }

  /** `device` is an address, or `hci` and a controller's number. */
  passesDevice(record, event) {
    if (!this.device) return true;
    if (this.device.startsWith("hci")) return record.isAtController(event, Number(this.device.slice(3)));
    return record.isAbout(event, this.device);
  }

  update() {
    if (this.isComparing) this.updateDifferences();
    const { record } = this;
    const events = new Uint32Array(record.count);
    const failures = new Set(record.failures);
    const controller = this.device.startsWith("hci") ? Number(this.device.slice(3)) : -1;
    let count = 0;
    for (let event = 0; event < record.count; event++) {
      const time = record.times[event];
      if (time < this.from || time > this.to) continue;
      if (!failures.has(event)) {
        if (this.hidden.has(record.laneOf[event])) continue;
        if (!this.showsRoutine && record.isRoutine[event]) continue;
        if (this.search && !this.search[event]) continue;
        if (controller >= 0 ? !record.isAtController(event, controller)
          : this.device && !record.isAbout(event, this.device)) continue;
      }
      events[count++] = event;
    }
    this.events = events.subarray(0, count);
  }

  updateDifferences() {
    const shown = this.differences.filter(({ kind, event, other, time }) => time >= this.from && time <= this.to
      && (kind === MISSING ? this.passesDevice(this.other, other) && this.passesTheirLane(other)
        : this.passesLane(this.record, event) && this.passesDevice(this.record, event)
          && (!this.search || this.search[event])));
    this.rows = folded(shown, this.opened).map((row) => (row.folded ? row : {
      kind: row.kind, record: row.kind === MISSING ? this.other : this.record,
      event: row.kind === MISSING ? row.other : row.event,
    }));
    this.counts = [ONLY_HERE, MISSING].map((kind) => shown.filter((row) => row.kind === kind).length);
  }

  /** Lanes of the other record by their names, because they may have other numbers there. */
  passesTheirLane(event) {
    const name = this.other.lanes[this.other.laneOf[event]].name;
    const ours = this.record.lanes.find((lane) => lane.name === name);
    return !ours || !this.hidden.has(ours.index);
  }

  /** The row of an event, or of the next one that is shown. */
  indexOf(record, event) {
    if (this.isComparing) return this.rows.findIndex((row) => row.record === record && row.event === event);
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle] < event) low = middle + 1;
      else high = middle;
    }
    return low < this.events.length ? low : this.events.length - 1;
  }
}

/** Long stretches of what both records have become one row, which opens. */
function folded(rows, opened) {
  const result = [];
  for (let index = 0; index < rows.length;) {
    let end = index;
    while (end < rows.length && rows[end].kind === SAME) end += 1;
    if (end === index) {
      result.push(rows[index++]);
      continue;
    }
    const before = index === 0 ? 0 : CONTEXT;
    const after = end === rows.length ? 0 : CONTEXT;
    const hidden = end - index - before - after;
    if (hidden < LEAST_FOLDED || opened.has(rows[index].event)) result.push(...rows.slice(index, end));
    else {
      result.push(...rows.slice(index, index + before), { folded: hidden, first: rows[index].event },
        ...rows.slice(end - after, end));
    }
    index = end;
  }
  return result;
}
