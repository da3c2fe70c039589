// The page of an air: joins map, charts and events, and lets the time pass.
import { Air } from "./air-model.js";
import { AirMap, minus } from "./air-map.js";
import { Charts } from "./air-charts.js";
import { textsOf } from "./embedded.js";
import { date, duration, timeOfDay } from "./times.js";

const get = (id) => document.getElementById(id);
const STEP = 1e6;

class AirPage {
  constructor(texts) {
    const about = JSON.parse(texts["about.json"]);
    const bound = (seconds) => (seconds === undefined ? undefined : Math.round(seconds * 1e6));
    this.air = new Air(texts["air.jsonl"] ?? "", bound(about.start), bound(about.end));
    Object.assign(this, { time: this.air.start, isPlaying: false, lastFrame: 0 });
    const { start, end } = this.air;
    get("title").textContent = about.title || document.title;
    get("facts").textContent = `${date(start)} ${timeOfDay(start).slice(0, 8)} UTC · ${duration(end - start)} · `
      + `${this.air.devices.size} devices · ${this.air.at(start).model} air`;
    get("time").max = String(Math.round((end - start) / 1e4) / 100);
    this.map = new AirMap(get("map"), this.air);
    this.charts = new Charts(get("charts"), this.air, (time) => this.show(time));
    this.fillEvents(texts["lanes.jsonl"] ?? "");
    this.listen();
    this.show(start);
  }

  fillEvents(text) {
    this.events = text.split("\n").filter(Boolean).map((line) => JSON.parse(line))
      .filter((event) => !event.routine && event.fields?.rssi_dbm === undefined && !event.fields?.fate)
      .map((event) => ({ time: Math.round(event.time * 1e6), text: event.text }));
    this.times = this.events.map((event) => event.time);
    get("events").replaceChildren(...this.events.map((event) => {
      const button = document.createElement("button");
      button.type = "button";
      const clock = document.createElement("time");
      clock.textContent = this.clock(event.time);
      button.append(clock, event.text);
      button.addEventListener("click", () => this.show(event.time));
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
  }

  clock(time) {
    return `${((time - this.air.start) / 1e6).toFixed(2)} s`;
  }

  show(time) {
    const { start, end } = this.air;
    this.time = Math.min(end, Math.max(start, time));
    this.map.draw(this.time);
    this.charts.draw(this.time);
    get("time").value = String((this.time - start) / 1e6);
    get("clock").textContent = this.clock(this.time);
    get("time").setAttribute("aria-valuetext", `${this.clock(this.time)}: ${this.summary()}`);
    this.showLinks();
    this.markEvent();
  }

  summary() {
    const { links } = this.air.at(this.time);
    return links.length ? links.map((link) => this.describe(link)).join("; ") : "no links";
  }

  describe({ central, peripheral, strength, isInRange, counts }) {
    const parts = [strength === null ? "" : `${minus(strength)} dBm`, isInRange ? "" : "out of range"];
    for (const fate of ["lost", "jammed", "blocked"]) if (counts[fate]) parts.push(`${counts[fate]} ${fate}`);
    return `${central} → ${peripheral}: ${parts.filter(Boolean).join(", ")}`;
  }

  /** What the map shows, in words. */
  showLinks() {
    const text = this.summary();
    if (get("links").textContent !== text) get("links").textContent = text;
    get("map").setAttribute("aria-label", `Map: ${text}`);
  }

  markEvent() {
    const last = this.times.findLastIndex((time) => time <= this.time);
    if (last === this.marked) return;
    const items = get("events").children;
    items[this.marked]?.firstChild.removeAttribute("aria-current");
    this.marked = last;
    const button = items[last]?.firstChild;
    if (!button) return;
    button.setAttribute("aria-current", "true");
    const list = get("events");
    const [top, bottom] = [button.offsetTop - list.offsetTop, button.offsetTop - list.offsetTop + button.offsetHeight];
    if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - 40;
  }

  // Time

  play(isPlaying) {
    this.isPlaying = isPlaying;
    get("play").textContent = isPlaying ? "Pause" : "Play";
    get("play").setAttribute("aria-pressed", String(isPlaying));
    if (!isPlaying) return;
    if (this.time >= this.air.end) this.show(this.air.start);
    this.lastFrame = performance.now();
    requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    if (!this.isPlaying) return;
    const passed = Math.max(0, now - this.lastFrame) * 1000 * Number(get("speed").value);
    this.lastFrame = now;
    this.show(this.time + passed);
    if (this.time >= this.air.end) this.play(false);
    else requestAnimationFrame((next) => this.frame(next));
  }

  goToEvent(direction) {
    const { time, times } = this;
    const next = direction > 0 ? times.find((one) => one > time) : times.findLast((one) => one < time);
    if (next !== undefined) this.show(next);
  }

  // Input

  listen() {
    get("play").addEventListener("click", () => this.play(!this.isPlaying));
    get("time").addEventListener("input", () => this.show(this.air.start + Number(get("time").value) * 1e6));
    get("before").addEventListener("click", () => this.goToEvent(-1));
    get("after").addEventListener("click", () => this.goToEvent(1));
    get("advertising").addEventListener("change", () => {
      this.charts.showsAdvertising = get("advertising").checked;
      this.charts.fit();
    });
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
    const isSlider = event.target === get("time");
    const actions = {
      n: () => this.goToEvent(1), p: () => this.goToEvent(-1), Home: () => this.show(this.air.start),
      End: () => this.show(this.air.end),
    };
    if (!event.target.matches("button, [type=checkbox]")) actions[" "] = () => this.play(!this.isPlaying);
    if (!isSlider) {
      Object.assign(actions, {
        ArrowRight: () => this.show(this.time + STEP), ArrowLeft: () => this.show(this.time - STEP),
      });
    }
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }
}

try {
  const page = new AirPage(await textsOf("this"));
  document.documentElement.dataset.ready = page.air.snapshots.length ? "yes" : "empty";
} catch (error) {
  get("links").textContent = `This air cannot be shown: ${error.stack ?? error}`;
  document.documentElement.dataset.ready = "failed";
  throw error;
}
