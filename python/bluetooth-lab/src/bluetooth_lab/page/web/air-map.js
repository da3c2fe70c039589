// The map of an air: devices, links with their strengths, walls and jammers at one time.
import { element } from "./svg.js";
import { roundStep } from "./times.js";

const EDGE = 70; // pixels around all places
const HUES = [1, 5, 6, 7, 4, 8];
const LEAST = 4; // metres that are shown at least
const CROWD = 12; // so many phantoms have names

export class AirMap {
  constructor(svg, air) {
    Object.assign(this, { svg, air, time: air.start });
    this.layers = Object.fromEntries(["grid", "walls", "jammers", "links", "devices"].map((name) => {
      const layer = element("g", { class: name });
      svg.append(layer);
      return [name, layer];
    }));
    new ResizeObserver(() => this.fit()).observe(svg);
    this.fit();
  }

  /** Chooses the scale, the same in both directions, so that all places fit. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width || !height) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const [left, bottom, right, top] = this.air.bounds();
    const span = [Math.max(right - left, LEAST), Math.max(top - bottom, LEAST / 2)];
    this.scale = Math.min(Math.max(width - 2 * EDGE, 40) / span[0], Math.max(height - 2 * EDGE, 40) / span[1]);
    this.origin = [width / 2 - this.scale * (left + right) / 2, height / 2 + this.scale * (bottom + top) / 2];
    Object.assign(this, { width, height });
    this.drawGrid();
    this.draw(this.time);
  }

  point([x, y]) {
    return [this.origin[0] + x * this.scale, this.origin[1] - y * this.scale];
  }

  drawGrid() {
    const step = roundStep(100 * this.width / this.scale, 8) / 100; // of centimetres
    const lines = [];
    for (const axis of [0, 1]) {
      const size = axis ? this.height : this.width;
      const first = axis ? (this.origin[1] - size) / this.scale : -this.origin[0] / this.scale;
      for (let at = Math.ceil(first / step) * step; at <= first + size / this.scale; at += step) {
        const [x, y] = this.point([at, at]);
        lines.push(axis ? element("line", { x1: 0, x2: this.width, y1: y, y2: y })
          : element("line", { x1: x, x2: x, y1: 0, y2: this.height }));
        const label = `${Number(at.toFixed(2)) + 0} m`;
        lines.push(axis ? element("text", { x: 4, y: y - 3 }, label)
          : element("text", { x: x + 3, y: this.height - 5 }, label));
      }
    }
    this.layers.grid.replaceChildren(...lines);
  }

  draw(time) {
    this.time = time;
    if (!this.origin) return;
    const now = this.air.at(time);
    const places = new Map(now.devices.map((device) => [device.name, this.point(device.place)]));
    this.layers.walls.replaceChildren(...now.walls.map((wall) => this.wall(wall)));
    this.layers.jammers.replaceChildren(...now.jammers.flatMap((jammer) => this.jammer(jammer)));
    this.layers.links.replaceChildren(...now.links.flatMap((link) => this.link(link, places)));
    const phantoms = now.devices.filter((device) => device.isPhantom).length;
    this.layers.devices.replaceChildren(...now.devices.flatMap((device) => this.device(device, places, phantoms)));
  }

  wall({ from, to, loss_db: loss }) {
    const [[x1, y1], [x2, y2]] = [this.point(from), this.point(to)];
    return element("line", { x1, y1, x2, y2, "stroke-width": 2 + Math.min(8, loss / 3) });
  }

  jammer({ name, at, radius_m: radius }) {
    const [cx, cy] = this.point(at);
    return [
      element("circle", { cx, cy, r: radius ? Math.max(6, radius * this.scale) : 14 }),
      element("text", { x: cx, y: cy + 4, "text-anchor": "middle" }, name),
    ];
  }

  link(link, places) {
    const [from, to] = [places.get(link.central), places.get(link.peripheral)];
    if (!from || !to) return [];
    const lost = link.counts.lost + link.counts.jammed + link.counts.blocked;
    const total = lost + link.counts.received;
    const state = !link.isInRange ? "out" : lost > 0.1 * total ? "weak" : "good";
    const lines = [link.strength === null ? "" : `${minus(link.strength)} dBm`,
      lost ? `${Math.round(100 * lost / total)} % lost` : ""].filter(Boolean);
    const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    // Above the line, wherever that goes.
    return [
      element("line", { class: state, x1: from[0], y1: from[1], x2: to[0], y2: to[1] }),
      ...lines.map((text, index) => element("text", {
        class: state, x, y: y - 14 - 14 * (lines.length - 1 - index), "text-anchor": "middle",
      }, text)),
    ];
  }

  device({ name, isPhantom, index, address }, places, phantoms) {
    const [cx, cy] = places.get(name);
    const hue = isPhantom ? 0 : HUES[index % HUES.length];
    const dot = element("circle", { class: `hue-${hue}`, cx, cy, r: isPhantom ? (phantoms > CROWD ? 2.5 : 4) : 8 });
    dot.append(element("title", {}, `${name} ${address}`));
    if (isPhantom && phantoms > CROWD) return [dot];
    return [dot, element("text", { x: cx, y: cy + (isPhantom ? 17 : 24), "text-anchor": "middle" }, name)];
  }
}

export function minus(number) {
  return String(Number(Number(number).toFixed(1))).replace("-", "−");
}
