// A plot of the last minute of a characteristic's numbers.

import { draw, keep, make, printed } from "./elements.js";

const span = 60000; // ms
const most = 600; // points of a curve
const height = 92;
const [top, bottom, right] = [10, 80, 44];

export class Plot {
  constructor(name) {
    this.name = name;
    this.curves = new Map();
    this.grid = draw("g", { class: "grid" });
    this.lines = draw("g");
    this.labels = draw("g");
    this.drawing = draw("svg", { class: "plot", role: "img" });
    this.drawing.append(this.grid, this.lines, this.labels);
    this.legend = make("p", { class: "legend" });
    this.element = make("div", { hidden: true }, this.drawing, this.legend);
  }

  /** Takes the numbers of a moment, in ms. */
  add(numbers, now) {
    for (const { name, unit, value } of numbers) {
      if (!Number.isFinite(value)) continue;
      const curve = this.curves.get(name) ?? { unit, points: [], hue: this.curves.size % 6 };
      this.curves.set(name, curve);
      curve.points.push([now, value]);
    }
    for (const curve of this.curves.values()) {
      const { points } = curve;
      // One before the left edge, from which the curve comes.
      while (points.length > most || (points.length > 1 && points[1][0] < now - span)) points.shift();
    }
    this.element.hidden = this.curves.size === 0;
    if (!this.element.hidden) this.paint(now);
  }

  paint(now) {
    const width = this.drawing.clientWidth || 300;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const shown = [...this.curves.entries()];
    const values = shown.flatMap(([, curve]) => curve.points.map((point) => point[1]));
    const [low, high] = bounds(values);
    const x = (time) => (width - right) * (1 - (now - time) / span);
    const y = (value) => bottom - ((bottom - top) * (value - low)) / (high - low);
    keep(this.lines, shown, ([name]) => name, curveElement, (group, [, curve]) => {
      const path = steps(curve.points, now, x, y);
      const [area, line] = group.children;
      line.setAttribute("d", path);
      area.setAttribute("d", `${path}V${bottom}H${x(curve.points[0][0]).toFixed(1)}Z`);
    });
    this.paintScale(low, high, y, width - right);
    this.describe(shown);
  }

  paintScale(low, high, y, end) {
    const marks = [low, (low + high) / 2, high];
    keep(this.grid, marks, (mark) => marks.indexOf(mark), () => draw("line", { x1: 0 }),
      (line, mark) => {
        line.setAttribute("x2", end);
        line.setAttribute("y1", y(mark));
        line.setAttribute("y2", y(mark));
      });
    const texts = [[low, "a"], [high, "b"]];
    keep(this.labels, texts, ([, key]) => key, () => draw("text"), (text, [mark]) => {
      text.setAttribute("x", end + 8);
      text.setAttribute("y", y(mark) + 4);
      text.textContent = short(mark);
    });
  }

  describe(shown) {
    const texts = shown.map(([name, { points, unit }]) => {
      const values = points.map((point) => point[1]);
      const [low, high, last] = [Math.min(...values), Math.max(...values), values.at(-1)].map(short);
      return `${name ? `${name}: ` : ""}${last} ${unit}, from ${low} to ${high} in the last minute`;
    });
    this.drawing.setAttribute("aria-label", `${this.name}: ${texts.join("; ")}`);
    const several = shown.length > 1 ? shown : [];
    keep(this.legend, several, ([name]) => name, ([name, { hue }]) => make("span", { class: `hue-${hue}` }, name));
  }
}

function curveElement([, { hue }]) {
  return draw("g", { class: `hue-${hue}` }, draw("path", { class: "area" }), draw("path", { class: "curve" }));
}

/** A value lasts until the next one. */
function steps(points, now, x, y) {
  let path = "";
  let before;
  for (const [time, value] of points) {
    const across = Math.max(x(time), 0).toFixed(1);
    if (before === undefined) path = `M${across} ${y(value).toFixed(1)}`;
    else if (before !== value) path += `H${across}V${y(value).toFixed(1)}`;
    before = value;
  }
  return `${path}H${x(now).toFixed(1)}`;
}

/** Round numbers around the values, and never none between them. */
function bounds(values) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  const least = Math.max(Math.abs(high) * 0.02, 1e-6);
  if (high - low < least) [low, high] = [low - least, high + least];
  const step = 10 ** Math.floor(Math.log10(high - low)) / 2;
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step];
}

const short = (value) => printed(Number(value.toPrecision(value >= 1e5 || value <= -1e5 ? 6 : 5)));
