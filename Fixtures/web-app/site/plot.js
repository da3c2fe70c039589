// Heart rates of the last minute as a line, in an <svg>.

const SPAN = 60; // seconds
const MARGIN = {top: 14, right: 14, bottom: 14, left: 38}; // CSS pixels
const NAMESPACE = "http://www.w3.org/2000/svg";

export class Plot {
  #svg;
  #points = []; // [seconds, bpm], the oldest first

  constructor(svg) {
    this.#svg = svg;
    new ResizeObserver(() => this.draw()).observe(svg);
  }

  /** The lowest and the highest rate that is shown, or null. */
  get range() {
    if (!this.#points.length) return null;
    const rates = this.#points.map(([, rate]) => rate);
    return [Math.min(...rates), Math.max(...rates)];
  }

  /** @param {number} rate in beats per minute; @param {number} time in seconds */
  add(rate, time = performance.now() / 1000) {
    this.#points.push([time, rate]);
    while (this.#points[0][0] < time - SPAN) this.#points.shift();
    this.draw();
  }

  draw() {
    const {clientWidth: width, clientHeight: height} = this.#svg;
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const parts = [];
    const [low, high] = this.#scale();
    const y = rate => MARGIN.top + (height - MARGIN.top - MARGIN.bottom) * (high - rate) / (high - low);
    const last = this.#points.at(-1)?.[0] ?? 0;
    const x = time => width - MARGIN.right - (width - MARGIN.left - MARGIN.right) * (last - time) / SPAN;

    for (let rate = low; rate <= high; rate += 10) {
      parts.push(element("line", {class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(rate), y2: y(rate)}));
      parts.push(element("text", {class: "label", x: MARGIN.left - 8, y: y(rate) + 4, "text-anchor": "end"}, rate));
    }
    if (this.#points.length) {
      const corners = this.#points.map(([time, rate]) => `${x(time).toFixed(1)},${y(rate).toFixed(1)}`);
      const [first, end] = [x(this.#points[0][0]), x(last)];
      const floor = height - MARGIN.bottom;
      parts.push(element("polygon", {class: "area", points: `${first},${floor} ${corners.join(" ")} ${end},${floor}`}));
      parts.push(element("polyline", {class: "line", points: corners.join(" ")}));
      parts.push(element("circle", {class: "last", cx: end, cy: y(this.#points.at(-1)[1]), r: 5.5}));
    }
    this.#svg.replaceChildren(...parts);
  }

  // Whole tens, and two of them at least, so that a calm heart makes a calm line.
  #scale() {
    const [least, most] = this.range ?? [60, 80];
    const low = Math.floor((least - 3) / 10) * 10;
    return [low, Math.max(low + 20, Math.ceil((most + 3) / 10) * 10)];
  }
}

function element(name, attributes, text) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
