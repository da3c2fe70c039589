// The lanes over time: where their events are, the failures, and the part that the list shows. Dragging zooms.
import { duration, roundStep, timeOfDay } from "./times.js";

const AXIS = 20;
const LANE = 18;
const EDGE = 6; // pixels at both sides
const CLICK = 4; // pixels: less is no drag

export class Overview {
  /** `onZoom(from, to)` and `onPick(time)`, in microseconds. */
  constructor(canvas, labels, { onZoom, onPick, onLanes }) {
    Object.assign(this, { canvas, labels, onZoom, onPick, onLanes, drag: null, isQueued: false });
    this.state = { hidden: new Set(), sight: null, selected: null, rows: null };
    canvas.addEventListener("pointerdown", (event) => this.begin(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.end(event));
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => this.onZoom(this.record.start, this.record.end));
    new ResizeObserver(() => this.queue()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.queue());
  }

  open(record) {
    this.record = record;
    this.from = record.start;
    this.to = record.end;
    this.labels.replaceChildren(...record.lanes.map((lane) => this.label(lane)));
    this.canvas.style.height = `${AXIS + LANE * record.lanes.length + 4}px`;
    this.queue();
  }

  label(lane) {
    const row = document.createElement("div");
    row.className = `lane hue-${lane.hue}`;
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => this.toggle(lane.index, box.checked));
    label.append(box, span("name", lane.title), span("detail", lane.detail));
    const only = document.createElement("button");
    only.type = "button";
    only.textContent = "only";
    only.setAttribute("aria-label", `Only ${lane.title}`);
    only.addEventListener("click", () => this.showOnly(lane.index));
    row.append(label, span("count", lane.count.toLocaleString("en")), only);
    return row;
  }

  toggle(lane, isShown) {
    if (isShown) this.state.hidden.delete(lane);
    else this.state.hidden.add(lane);
    this.onLanes(this.state.hidden);
    this.queue();
  }

  showLane(lane) {
    this.labels.querySelectorAll("input")[lane].checked = true;
    this.toggle(lane, true);
  }

  /** One lane; all again if it is the only one already. */
  showOnly(lane) {
    const others = this.record.lanes.filter((other) => other.index !== lane).map((other) => other.index);
    const isAlone = !this.state.hidden.has(lane) && others.every((other) => this.state.hidden.has(other));
    this.state.hidden = new Set(isAlone ? [] : others);
    this.labels.querySelectorAll("input").forEach((box, index) => {
      box.checked = !this.state.hidden.has(index);
    });
    this.onLanes(this.state.hidden);
    this.queue();
  }

  zoom(from, to) {
    this.from = from;
    this.to = Math.max(to, from + 1);
    this.queue();
  }

  update(state) {
    Object.assign(this.state, state);
    this.queue();
  }

  queue() {
    if (this.isQueued || !this.record) return;
    this.isQueued = true;
    requestAnimationFrame(() => {
      this.isQueued = false;
      this.render();
    });
  }

  x(time) {
    return EDGE + ((time - this.from) / (this.to - this.from)) * (this.width - 2 * EDGE);
  }

  time(x) {
    const part = (x - EDGE) / (this.width - 2 * EDGE);
    return this.from + Math.min(Math.max(part, 0), 1) * (this.to - this.from);
  }

  render() {
    const scale = devicePixelRatio;
    this.width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (!this.width || !height) return;
    const [columns, lines] = [Math.round(this.width * scale), Math.round(height * scale)];
    // Setting them, even to what they are, makes a new picture.
    if (this.canvas.width !== columns) this.canvas.width = columns;
    if (this.canvas.height !== lines) this.canvas.height = lines;
    const draw = this.canvas.getContext("2d");
    draw.setTransform(scale, 0, 0, scale, 0, 0);
    draw.clearRect(0, 0, this.width, height);
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    this.drawAxis(draw, height, color);
    if (this.state.sight) {
      const [from, to] = this.state.sight.map((time) => this.x(time));
      draw.fillStyle = color("--pick");
      draw.globalAlpha = 0.55;
      draw.fillRect(from, AXIS, Math.max(2, to - from), height);
      draw.globalAlpha = 1;
    }
    draw.drawImage(this.layerOfEvents(scale, height), 0, 0, this.width, height);
    draw.fillStyle = color("--bad");
    for (const event of this.record.failures) draw.fillRect(this.x(this.record.times[event]) - 1, 0, 2, height);
    if (this.state.selected !== null) {
      draw.fillStyle = color("--focus");
      draw.fillRect(this.x(this.state.selected), AXIS, 1, height);
    }
    if (this.drag?.moved) {
      draw.fillStyle = color("--focus");
      draw.globalAlpha = 0.25;
      const left = Math.min(this.drag.from, this.drag.to);
      draw.fillRect(left, 0, Math.abs(this.drag.to - this.drag.from), height);
      draw.globalAlpha = 1;
    }
  }

  drawAxis(draw, height, color) {
    const step = roundStep(this.to - this.from, Math.max(2, this.width / 90));
    const start = this.record.start;
    draw.font = "10px system-ui, sans-serif";
    draw.textBaseline = "middle";
    for (let tick = Math.ceil((this.from - start) / step) * step; tick <= this.to - start; tick += step) {
      const x = this.x(start + tick);
      draw.fillStyle = color("--line");
      draw.fillRect(x, 0, 1, height);
      draw.fillStyle = color("--soft");
      draw.fillText(step >= 1e6 ? `${+(tick / 1e6).toFixed(3)} s` : duration(tick), x + 4, AXIS / 2);
    }
    draw.fillStyle = color("--line");
    draw.fillRect(0, AXIS - 1, this.width, 1);
  }

  /** The bars, which are drawn anew only when they change, and not whenever the list is scrolled. */
  layerOfEvents(scale, height) {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const key = [this.from, this.to, this.width, height, scale, isDark, ...this.state.hidden].join();
    if (this.layerKey === key) return this.layer;
    this.layerKey = key;
    this.layer = document.createElement("canvas");
    this.layer.width = this.canvas.width;
    this.layer.height = this.canvas.height;
    const draw = this.layer.getContext("2d");
    draw.scale(scale, scale);
    this.drawEvents(draw);
    return this.layer;
  }

  /** A bar for each pixel that has events, the higher the more there are. */
  drawEvents(draw) {
    const { record } = this;
    const columns = Math.ceil(this.width);
    const counts = new Uint32Array(columns * record.lanes.length);
    const first = record.eventAt(this.from);
    for (let event = first; event < record.count && record.times[event] <= this.to; event++) {
      const column = Math.min(columns - 1, Math.floor(this.x(record.times[event])));
      counts[record.laneOf[event] * columns + column] += 1;
    }
    record.lanes.forEach((lane, row) => {
      draw.fillStyle = getComputedStyle(this.labels.children[row]).getPropertyValue("--hue");
      draw.globalAlpha = this.state.hidden.has(row) ? 0.18 : 1;
      const bottom = AXIS + (row + 1) * LANE - 3;
      for (let column = 0; column < columns; column++) {
        const count = counts[row * columns + column];
        if (!count) continue;
        const size = Math.min(LANE - 5, 5 + 2.2 * Math.log2(count));
        draw.fillRect(column, bottom - size, 1.5, size);
      }
    });
    draw.globalAlpha = 1;
  }

  begin(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { from: event.offsetX, to: event.offsetX, moved: false };
  }

  move(event) {
    this.canvas.title = timeOfDay(this.time(event.offsetX));
    if (!this.drag) return;
    this.drag.to = event.offsetX;
    this.drag.moved ||= Math.abs(this.drag.to - this.drag.from) > CLICK;
    this.queue();
  }

  end() {
    if (!this.drag) return;
    const { from, to, moved } = this.drag;
    this.drag = null;
    if (moved) this.onZoom(this.time(Math.min(from, to)), this.time(Math.max(from, to)));
    else this.onPick(this.time(to));
    this.queue();
  }

  cancel() {
    this.drag = null;
    this.queue();
  }

  wheel(event) {
    event.preventDefault();
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (isSideways) {
      const shift = ((event.deltaX || event.deltaY) / this.width) * (this.to - this.from);
      this.pan(shift);
    } else this.zoomAt(this.time(event.offsetX), Math.exp(event.deltaY / 400));
  }

  pan(shift) {
    const { start, end } = this.record;
    const kept = Math.max(start - this.from, Math.min(end - this.to, shift));
    this.onZoom(this.from + kept, this.to + kept);
  }

  zoomAt(time, factor) {
    const from = Math.max(this.record.start, time - (time - this.from) * factor);
    const to = Math.min(this.record.end, time + (this.to - time) * factor);
    if (to - from >= 100 || factor > 1) this.onZoom(from, to);
  }
}

export function span(name, text) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}
