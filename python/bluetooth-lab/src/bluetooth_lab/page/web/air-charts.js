// An air over time: the strength of each link, and the packets that were received, lost and jammed. A click goes there.
import { minus } from "./air-map.js";
import { FATES } from "./air-model.js";
import { element } from "./svg.js";
import { roundStep } from "./times.js";

const LEFT = 64;
const RIGHT = 12;
const AXIS = 18;
const BIN = 5; // pixels of a bar
const LINK_HUES = [1, 5, 6, 7, 4, 8];

export class Charts {
  /** `onPick(time)` is called when somebody points at a time. */
  constructor(svg, air, onPick) {
    Object.assign(this, { svg, air, onPick, time: air.start, showsAdvertising: false });
    this.cursor = element("line", { class: "cursor" });
    svg.addEventListener("pointerdown", (event) => this.pick(event));
    svg.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.pick(event);
    });
    new ResizeObserver(() => this.fit()).observe(svg);
    this.fit();
  }

  pick(event) {
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    const part = Math.min(1, Math.max(0, (x - LEFT) / (this.width - LEFT - RIGHT)));
    this.onPick(this.air.start + part * (this.air.end - this.air.start));
  }

  x(time) {
    return LEFT + (this.width - LEFT - RIGHT) * (time - this.air.start) / (this.air.end - this.air.start);
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width || !height) return;
    Object.assign(this, { width, height });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const middle = Math.round((height - AXIS) * 0.5);
    this.svg.replaceChildren(...this.axis(), ...this.strengths(6, middle - 8),
      ...this.packets(middle + 8, height - AXIS), this.cursor);
    this.draw(this.time);
  }

  draw(time) {
    this.time = time;
    if (!this.width) return;
    for (const [name, value] of Object.entries({ x1: this.x(time), x2: this.x(time), y1: 0, y2: this.height - AXIS })) {
      this.cursor.setAttribute(name, value);
    }
  }

  axis() {
    const span = this.air.end - this.air.start;
    const step = roundStep(span, Math.max(2, (this.width - LEFT) / 90));
    const marks = [];
    for (let at = 0; at <= span; at += step) {
      const x = this.x(this.air.start + at);
      marks.push(element("line", { class: "grid", x1: x, x2: x, y1: 0, y2: this.height - AXIS }));
      marks.push(element("text", { x: x + 2, y: this.height - 5 }, `${Number((at / 1e6).toFixed(3))} s`));
    }
    return marks;
  }

  /** A line for each pair that was linked, only as long as it was. */
  strengths(top, bottom) {
    const { air } = this;
    const all = [...air.strengths.values()].flat().map((one) => one[1]);
    if (!all.length) return [element("text", { x: 4, y: top + 10 }, "no links")];
    const low = Math.floor((Math.min(...all.slice(0, 5e4)) - 3) / 10) * 10;
    const high = Math.ceil((Math.max(...all.slice(0, 5e4)) + 3) / 10) * 10;
    const y = (strength) => bottom - (bottom - top) * (strength - low) / (high - low);
    const marks = [];
    for (const level of [low, (low + high) / 2, high]) {
      marks.push(element("line", { class: "grid", x1: LEFT, x2: this.width - RIGHT, y1: y(level), y2: y(level) }));
      marks.push(element("text", { x: LEFT - 4, y: y(level) + 4, "text-anchor": "end" }, `${minus(level)} dBm`));
    }
    const pairs = [...air.strengths.keys()];
    for (const link of air.links) {
      const key = [link.central, link.peripheral].sort().join("\n");
      const points = air.strengths.get(key)?.filter((one) => one[0] >= link.begin && one[0] <= link.end) ?? [];
      if (!points.length) continue;
      const end = Math.min(link.end, air.end);
      let path = "";
      let before = null;
      for (const [time, strength] of [...points, [end, points.at(-1)[1]]]) {
        const x = this.x(Math.max(time, air.start));
        path += before === null ? `M${x.toFixed(1)} ${y(strength).toFixed(1)}` : `L${x.toFixed(1)} ${before}`;
        path += `L${x.toFixed(1)} ${y(strength).toFixed(1)}`;
        before = y(strength).toFixed(1);
      }
      const hue = LINK_HUES[pairs.indexOf(key) % LINK_HUES.length];
      const line = element("path", { class: `strength hue-${hue}`, d: path });
      line.append(element("title", {}, `${link.central} and ${link.peripheral}`));
      marks.push(line);
      if (link.end <= air.end) {
        const dot = element("circle", { class: "end", cx: this.x(link.end), cy: before, r: 4 });
        dot.append(element("title", {}, `the link ends: ${link.reason}`));
        marks.push(dot);
      }
    }
    return marks;
  }

  /** Bars of packets within as much time as a bar is wide. */
  packets(top, bottom) {
    const { air } = this;
    const bins = Math.max(1, Math.floor((this.width - LEFT - RIGHT) / BIN));
    const counts = FATES.map(() => new Float64Array(bins));
    for (const packet of air.packets) {
      if (packet.kind === "advertising" && !this.showsAdvertising) continue;
      if (packet.time < air.start || packet.time > air.end) continue;
      const bin = Math.min(bins - 1, Math.floor(bins * (packet.time - air.start) / (air.end - air.start)));
      counts[FATES.indexOf(packet.fate)][bin] += packet.count;
    }
    const most = Math.max(1, ...counts[0].map((_, bin) => counts.reduce((sum, list) => sum + list[bin], 0)));
    const height = (count) => (bottom - top) * count / most;
    const marks = [
      element("text", { x: LEFT - 4, y: top + 8, "text-anchor": "end" }, `${most}`),
      element("text", { x: LEFT - 4, y: top + 22, "text-anchor": "end" }, "packets"),
      element("line", { class: "grid", x1: LEFT, x2: this.width - RIGHT, y1: bottom, y2: bottom }),
    ];
    for (let bin = 0; bin < bins; bin++) {
      let y = bottom;
      counts.forEach((list, fate) => {
        if (!list[bin]) return;
        y -= height(list[bin]);
        const x = LEFT + bin * (this.width - LEFT - RIGHT) / bins;
        marks.push(element("rect", { class: FATES[fate], x, y, width: BIN - 1, height: height(list[bin]) }));
      });
    }
    return marks;
  }
}
