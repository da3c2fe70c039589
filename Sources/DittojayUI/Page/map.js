// The air: where the radio's devices are, and their links. Devices are dragged, or moved with the arrow keys.

import { radioCommand } from "./access.js";
import { report } from "./actions.js";
import { draw, keep, make, part, printed, say } from "./elements.js";

const weak = -85; // dBm
const least = 1; // metres from the middle to the edge
const greatest = 20000;

/** Puts a line between two points. */
function place(line, [x1, y1], [x2, y2]) {
  Object.entries({ x1, y1, x2, y2 }).forEach(([name, value]) => line.setAttribute(name, value));
}

export class AirMap {
  constructor() {
    this.box = part("map");
    this.grid = draw("g", { class: "grid" });
    this.walls = draw("g", { class: "walls" });
    this.links = draw("g");
    this.box.append(draw("svg", { "aria-hidden": "true" }, this.grid, this.walls, this.links), make("div", { class: "devices" }));
    this.devices = this.box.lastChild;
    this.places = new Map();
    part("nearer").addEventListener("click", () => this.zoom(0.5));
    part("farther").addEventListener("click", () => this.zoom(2));
    new ResizeObserver(() => this.paint()).observe(this.box);
  }

  show(status) {
    part("air").hidden = !status;
    if (!status) return;
    this.status = status;
    const phantoms = (status.phantom_groups ?? []).filter((one) => one.at_m).map((one) => ({ ...one, isPhantom: true }));
    this.all = [...status.devices, ...phantoms];
    for (const { name, at_m } of this.all) if (name !== this.held) this.places.set(name, at_m.map(Number));
    if (!this.reach) this.fit();
    this.paint();
  }

  /** The view that has everything. */
  fit() {
    const all = this.all.map(({ name }) => this.places.get(name));
    const [xs, ys] = [0, 1].map((axis) => all.map((at) => at[axis]));
    const middle = (values) => (values.length ? (Math.min(...values) + Math.max(...values)) / 2 : 0);
    this.middle = [middle(xs), middle(ys)];
    const far = Math.max(0, ...xs.map((x) => Math.abs(x - this.middle[0])), ...ys.map((y) => 2 * Math.abs(y - this.middle[1])));
    this.reach = Math.min(greatest, Math.max(least, far * 1.8));
  }

  zoom(factor) {
    this.reach = Math.min(greatest, Math.max(least, (this.reach ?? least) * factor));
    this.paint();
  }

  get metre() {
    return this.box.clientWidth / 2 / this.reach;
  }

  /** In pixels of the box. */
  point([x, y]) {
    return [
      this.box.clientWidth / 2 + (x - this.middle[0]) * this.metre,
      this.box.clientHeight / 2 - (y - this.middle[1]) * this.metre,
    ];
  }

  paint() {
    if (!this.status || !this.box.clientWidth) return;
    this.paintGrid();
    const walls = this.status.wall_lines ?? [];
    keep(this.walls, walls, (wall) => walls.indexOf(wall), () => draw("line"), (line, { from, to }) => {
      place(line, this.point(from.map(Number)), this.point(to.map(Number)));
    });
    keep(this.links, this.status.links, ({ central, peripheral }) => `${central} ${peripheral}`,
      () => draw("g", {}, draw("line"), draw("text")), (group, link) => this.paintLink(group, link));
    keep(this.devices, this.all, ({ name }) => name, (device) => this.button(device), (button, device) => {
      const at = this.places.get(device.name);
      const [x, y] = this.point(at);
      button.style.left = `${x}px`;
      button.style.top = `${y}px`;
      const where = at.map((number) => `${printed(Number(number.toFixed(1)))} m`).join(", ");
      button.setAttribute("aria-label", `${device.name} at ${where}; the arrow keys move it`);
    });
  }

  paintGrid() {
    const step = 10 ** Math.ceil(Math.log10(this.reach / 4));
    const { clientWidth: width, clientHeight: height } = this.box;
    const lines = [];
    const [left, up] = [this.middle[0] - this.reach, this.middle[1] + this.reach];
    for (let x = Math.ceil(left / step) * step; this.point([x, 0])[0] < width; x += step) {
      const across = this.point([x, 0])[0];
      lines.push([across, 0, across, height]);
    }
    for (let y = Math.floor(up / step) * step; this.point([0, y])[1] < height; y -= step) {
      const down = this.point([0, y])[1];
      lines.push([0, down, width, down]);
    }
    keep(this.grid, lines, (line) => lines.indexOf(line), () => draw("line"), (element, line) => {
      place(element, line.slice(0, 2), line.slice(2));
    });
    say(part("scale"), `A square is ${step >= 1000 ? `${step / 1000} km` : `${step} m`} wide.`);
  }

  paintLink(group, { central, peripheral, rssi_dbm }) {
    const ends = [central, peripheral].map((name) => this.places.get(name));
    if (ends.includes(undefined)) return;
    const [[x1, y1], [x2, y2]] = ends.map((end) => this.point(end));
    const [line, text] = group.children;
    place(line, [x1, y1], [x2, y2]);
    line.setAttribute("class", Number(rssi_dbm) < weak ? "link weak" : "link");
    text.setAttribute("x", (x1 + x2) / 2);
    text.setAttribute("y", (y1 + y2) / 2 - 8);
    text.textContent = `${printed(Math.round(Number(rssi_dbm)))} dBm`;
  }

  button({ name, isPhantom }) {
    const button = make("button", { class: isPhantom ? "device phantom" : "device" }, name);
    button.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      button.setPointerCapture(event.pointerId);
      this.held = name;
    });
    button.addEventListener("pointermove", (event) => {
      if (this.held === name) this.drag(name, event);
    });
    const release = () => {
      if (this.held !== name) return;
      this.held = undefined;
      this.moved(name);
    };
    button.addEventListener("pointerup", release);
    button.addEventListener("pointercancel", release);
    button.addEventListener("keydown", (event) => this.press(name, event));
    return button;
  }

  drag(name, event) {
    const frame = this.box.getBoundingClientRect();
    const inside = (value, size) => Math.min(Math.max(value, 0), size);
    const x = inside(event.clientX - frame.left, frame.width) - frame.width / 2;
    const y = inside(event.clientY - frame.top, frame.height) - frame.height / 2;
    this.places.set(name, [this.middle[0] + x / this.metre, this.middle[1] - y / this.metre]);
    this.paint();
    this.tell(name);
  }

  press(name, event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    const distance = (event.shiftKey ? 10 : 1) * (this.reach > 40 ? 10 ** Math.floor(Math.log10(this.reach / 4)) : 1);
    const at = this.places.get(name);
    this.places.set(name, at.map((value, axis) => value + distance * way[axis]));
    this.moved(name);
  }

  /** One that is at the edge is to be seen, with room to move on. */
  async moved(name) {
    await this.tell(name);
    const [x, y] = this.point(this.places.get(name));
    const { clientWidth: width, clientHeight: height } = this.box;
    const margin = 24;
    if (x < margin || y < margin || x > width - margin || y > height - margin) this.fit();
    this.paint();
  }

  /** Asks the radio for the newest place, one request at a time. */
  async tell(name) {
    this.wanted = name;
    if (this.isBusy) return this.isBusy;
    this.isBusy = (async () => {
      while (this.wanted !== undefined) {
        const device = this.wanted;
        this.wanted = undefined;
        const to = this.places.get(device).map((value) => `${value.toFixed(2)} m`);
        const reply = await radioCommand({ command: "move", device, to });
        if (!reply.ok) report(reply);
      }
      this.isBusy = undefined;
    })();
    return this.isBusy;
  }
}
