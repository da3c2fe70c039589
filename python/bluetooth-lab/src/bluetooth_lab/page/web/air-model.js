// A recorded air: who was where, which links there were, and what became of packets, at any time. Times are in
// microseconds since 1970.

export const FATES = ["received", "lost", "jammed", "blocked"];
const RECENT = 1e6; // how long packets count as those of now

export class Air {
  /** `text`: the lines of a recording; `from`, `to`: the part that is shown. */
  constructor(text, from = -Infinity, to = Infinity) {
    Object.assign(this, { snapshots: [], devices: new Map(), links: [], strengths: new Map(), packets: [], began: 0 });
    let last = -Infinity;
    let first = Infinity;
    for (const line of text.split("\n")) {
      const event = objectOf(line);
      if (!event) continue;
      if (event.event === "air") this.began = event.began_us;
      const time = this.began + event.time_us;
      if (!Number.isFinite(time)) continue;
      this.take(event, time);
      last = Math.max(last, time + (event.over_us ?? 0), time + 1000 * (event.over_ms ?? 0));
      first = Math.min(first, time);
    }
    this.start = Math.max(from, Number.isFinite(first) ? first : 0);
    this.end = Math.max(this.start + 1, Number.isFinite(to) ? to : last);
    this.packets.sort((a, b) => a.time - b.time);
    for (const device of this.devices.values()) device.ways.sort((a, b) => a.time - b.time);
    for (const link of this.links) link.end ??= this.end + 1;
  }

  take(event, time) {
    switch (event.event) {
      case "air": return this.takeSnapshot(event, time);
      case "move": {
        const device = this.devices.get(event.device);
        return isPlace(event.to)
          && device?.ways.push(way(time, event.from ?? placeAt(device, time), event.to, event.over_ms));
      }
      case "link-begin": return this.begin(event.central, event.peripheral, time);
      case "link-end": {
        const link = this.links.findLast((one) => one.end === undefined && isOf(one, event.device, event.peer));
        return link && Object.assign(link, { end: time, reason: event.text });
      }
      case "out-of-range": case "in-range": {
        const link = this.links.findLast((one) => isOf(one, event.central, event.peripheral));
        return link?.ranges.push([time, event.event === "in-range"]);
      }
      case "strength": return this.addStrength(event.central, event.peripheral, time, event.rssi_dbm);
      case "packets":
        return FATES.includes(event.fate)
          && this.packets.push({ ...event, time, end: time + (event.over_us ?? 0) });
      default: return null;
    }
  }

  takeSnapshot(event, time) {
    const present = new Set();
    for (const [list, isPhantom] of [[event.devices, false], [event.phantoms, true]]) {
      for (const one of list ?? []) {
        if (!isPlace(one.at)) continue;
        present.add(one.name);
        if (!this.devices.has(one.name)) {
          const index = [...this.devices.values()].filter((other) => other.isPhantom === isPhantom).length;
          this.devices.set(one.name, { name: one.name, address: one.address, isPhantom, index, ways: [] });
        }
        this.devices.get(one.name).ways.push(way(time, one.at, one.to ?? one.at, one.over_ms));
      }
    }
    this.snapshots.push({ time, present, model: event.air, walls: event.walls ?? [], jammers: event.jammers ?? [] });
    for (const link of event.links ?? []) {
      if (!this.links.some((one) => one.end === undefined && isOf(one, link.central, link.peripheral))) {
        this.begin(link.central, link.peripheral, time);
        this.addStrength(link.central, link.peripheral, time, link.rssi_dbm);
      }
    }
  }

  begin(central, peripheral, begin) {
    this.links.push({ central, peripheral, begin, end: undefined, reason: "", ranges: [] });
  }

  addStrength(central, peripheral, time, strength) {
    const key = pairOf(central, peripheral);
    if (!this.strengths.has(key)) this.strengths.set(key, []);
    this.strengths.get(key).push([time, strength]);
  }

  /** What was there at a time: `devices` with their places, `links`, `walls`, `jammers`. */
  at(time) {
    const snapshot = this.snapshots.findLast((one) => one.time <= time) ?? this.snapshots[0];
    if (!snapshot) return { devices: [], links: [], walls: [], jammers: [], model: "" };
    const devices = [...this.devices.values()].filter((device) => snapshot.present.has(device.name))
      .map((device) => ({ ...device, place: placeAt(device, time) }));
    const links = this.links.filter((link) => link.begin <= time && time < link.end).map((link) => ({
      ...link, strength: this.strengthAt(link, time), counts: this.countsAt(link, time),
      isInRange: link.ranges.findLast((range) => range[0] <= time)?.[1] ?? true,
    }));
    return { devices, links, walls: snapshot.walls, jammers: snapshot.jammers, model: snapshot.model };
  }

  /** In dBm; null if it is not known. */
  strengthAt({ central, peripheral }, time) {
    const list = this.strengths.get(pairOf(central, peripheral)) ?? [];
    return list.findLast((one) => one[0] <= time)?.[1] ?? null;
  }

  /** The packets of a link within the last second. */
  countsAt({ central, peripheral }, time) {
    const counts = { received: 0, lost: 0, jammed: 0, blocked: 0 };
    for (let index = this.packetAt(time - RECENT - 1e5); index < this.packets.length; index++) {
      const packet = this.packets[index];
      if (packet.time > time) break;
      if (packet.end < time - RECENT || packet.kind === "advertising") continue;
      if (isOf({ central, peripheral }, packet.from, packet.to)) counts[packet.fate] += packet.count;
    }
    return counts;
  }

  /** The first run of packets at a time or later. */
  packetAt(time) {
    let low = 0;
    let high = this.packets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.packets[middle].time < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The corners of all places that somebody was at, in metres: left, bottom, right, top. */
  bounds() {
    const points = [];
    for (const device of this.devices.values()) {
      for (const { time, over, from, to } of device.ways) {
        if (time + over >= this.start && time <= this.end) points.push(from, to);
      }
    }
    for (const { walls, jammers } of this.snapshots) {
      for (const jammer of jammers) points.push(jammer.at);
      if (points.length === 0) for (const wall of walls) points.push(wall.from, wall.to);
    }
    if (!points.length) return [0, 0, 1, 1];
    const [xs, ys] = [points.map((point) => point[0]), points.map((point) => point[1])];
    const least = (list) => list.reduce((a, b) => Math.min(a, b));
    const most = (list) => list.reduce((a, b) => Math.max(a, b));
    return [least(xs), least(ys), most(xs), most(ys)];
  }
}

export function pairOf(first, second) {
  return first < second ? `${first}\n${second}` : `${second}\n${first}`;
}

function isPlace(value) {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
}

function isOf({ central, peripheral }, first, second) {
  return pairOf(central, peripheral) === pairOf(first, second);
}

function way(time, from, to, over) {
  return { time, from: from ?? to, to, over: (over ?? 0) * 1000 };
}

function placeAt(device, time) {
  const last = device.ways.findLast((one) => one.time <= time) ?? device.ways[0];
  if (!last) return [0, 0];
  const part = last.over > 0 ? Math.min(1, Math.max(0, (time - last.time) / last.over)) : 1;
  return [0, 1].map((axis) => last.from[axis] + (last.to[axis] - last.from[axis]) * part);
}

function objectOf(line) {
  try {
    const value = line ? JSON.parse(line) : null;
    return value && typeof value === "object" && Number.isFinite(value.time_us) ? value : null;
  } catch {
    return null;
  }
}
