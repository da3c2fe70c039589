// The page of a record: opens what is embedded in it, and joins list, lanes, search and details.
import { MISSING, ONLY_HERE } from "./compare.js";
import { Details } from "./details.js";
import { List } from "./list.js";
import { Overview, span } from "./overview.js";
import { embeddedRecord, recordIn } from "./record.js";
import { Rows } from "./rows.js";
import { marked, Search } from "./search.js";
import { date, difference, duration, seconds, timeOfDay } from "./times.js";

const get = (id) => document.getElementById(id);

const PARTS_OF_ROW = ["sign", "time", "source", "arrow", "text"]; // of a row

class Page {
  constructor(record) {
    Object.assign(this, { record, rows: new Rows(record), selected: null, shownMatch: -1 });
    this.details = new Details(get("details"), (event) => this.select(record, event));
    this.list = new List(get("list"), (row, index) => this.draw(row, index));
    this.list.onScroll = () => this.showSight();
    this.overview = new Overview(get("strip"), get("lanes"), {
      onZoom: (from, to) => this.zoom(from, to),
      onPick: (time) => this.goTo(time),
      onLanes: (hidden) => {
        this.rows.hidden = hidden;
        this.update();
      },
    });
    this.search = new Search((isComplete) => this.onFound(isComplete));
    this.fill();
    this.overview.open(record);
    this.search.open(record);
    this.listen();
    this.update();
    if (record.failures.length) this.goToFailure();
  }

  fill() {
    const { about, count, start, end, failures, devices, packets } = this.record;
    get("status").textContent = about.status ?? "";
    for (const status of ["failed", "passed"]) get("status").classList.toggle(status, about.status === status);
    get("title").textContent = about.title || document.title;
    const moment = `${date(start)} ${timeOfDay(start).slice(0, 8)} UTC`;
    get("facts").textContent = count
      ? `${moment} · ${duration(end - start)} · ${count.toLocaleString("en")} events` : "";
    get("failure").hidden = !failures.length;
    if (about.issues) {
      const [first, ...rest] = about.issues.split("\n");
      get("issues").hidden = false;
      get("issues").querySelector("summary").textContent = first;
      get("issues").querySelector("pre").textContent = [...(rest.length ? [about.issues] : []), about.devices ?? ""]
        .join("\n\n").trim();
    }
    const option = (value, text) => get("device").add(new Option(text, value));
    const controllers = [...new Set(this.record.controllerOf)].filter((number) => number >= 0).sort((a, b) => a - b);
    for (const number of controllers) {
      option(`hci${number}`, `Controller hci${number} ${packets.addresses.get(number) ?? ""}`);
    }
    for (const [device, events] of [...devices].sort((a, b) => b[1] - a[1])) {
      option(device, `Device ${device} (${events.toLocaleString("en")})`);
    }
  }

  // Rows

  update() {
    const { rows, search } = this;
    rows.search = get("only").checked && search.isActive ? search.isMatch : null;
    rows.update();
    this.list.reset(rows.length);
    get("list").classList.toggle("empty", !rows.length);
    const all = this.record.count.toLocaleString("en");
    get("shown").textContent = rows.isComparing
      ? `${rows.counts[0]} only here, ${rows.counts[1]} only in the other run (${this.otherTitle})`
      : `${rows.length.toLocaleString("en")} of ${all} events${this.routineText()}`;
  }

  routineText() {
    const hidden = this.rows.showsRoutine ? 0 : this.record.isRoutine.reduce((sum, one) => sum + one, 0);
    return hidden ? `, ${hidden.toLocaleString("en")} routine ones hidden` : "";
  }

  draw(element, index) {
    const row = this.rows.at(index);
    if (row.folded) {
      element.className = "row fold";
      element.textContent = `${row.folded.toLocaleString("en")} events the same in both`;
      element.setAttribute("aria-selected", "false");
      return;
    }
    const { record, event, kind } = row;
    const lane = record.lanes[record.laneOf[event]];
    const isSelected = this.selected?.event === event && this.selected.record === record;
    const source = record.sources[event];
    const isFailure = source.isFailure?.(record.refs[event]) ?? false;
    element.className = `row hue-${lane.hue}${isSelected ? " selected" : ""}${isFailure ? " failed" : ""}`
      + (kind === ONLY_HERE ? " here" : kind === MISSING ? " missing" : "");
    element.setAttribute("aria-selected", String(isSelected));
    element.setAttribute("aria-posinset", String(index + 1));
    element.setAttribute("aria-setsize", String(this.rows.length));
    if (element.children.length !== PARTS_OF_ROW.length) {
      element.replaceChildren(...PARTS_OF_ROW.map((name) => span(name, "")));
    }
    const [sign, clock, title, arrow, text] = element.children;
    sign.hidden = !this.rows.isComparing;
    sign.textContent = kind === ONLY_HERE ? "+" : kind === MISSING ? "−" : "";
    sign.title = kind === ONLY_HERE ? "only here" : kind === MISSING ? "only in the other run" : "";
    clock.textContent = this.clock(record, event, index);
    title.textContent = lane.title;
    arrow.textContent = record.arrow(event);
    marked(text, record.text(event), this.search.query);
  }

  clock(record, event, index) {
    const time = record.times[event];
    switch (get("clock").value) {
      case "absolute": return timeOfDay(time);
      case "selected": {
        const chosen = this.selected?.record === record ? this.selected : null;
        return chosen ? difference(time - record.times[chosen.event]) : seconds(time - record.start);
      }
      case "delta": {
        const before = index > 0 ? this.rows.at(index - 1) : null;
        return before?.record === record ? difference(time - record.times[before.event]) : "";
      }
      default: return seconds(time - record.start);
    }
  }

  showSight() {
    if (!this.rows.length) return this.overview.update({ sight: null });
    const time = (index) => {
      const row = this.rows.at(index);
      return row && !row.folded && row.record === this.record ? this.record.times[row.event] : null;
    };
    const [from, to] = [time(this.list.first), time(this.list.last)];
    this.overview.update({ sight: from !== null && to !== null ? [from, to] : null });
  }

  // Choosing

  select(record, event) {
    let index = this.rows.indexOf(record, event);
    if (!this.rows.isComparing && this.rows.events[index] !== event) {
      this.reveal(event);
      index = this.rows.indexOf(record, event);
    }
    this.selected = { record, event };
    this.details.show(record, event);
    this.overview.update({ selected: record === this.record ? record.times[event] : null });
    if (index >= 0) this.list.show(index);
    this.redraw();
    get("list").setAttribute("aria-activedescendant", index >= 0 ? `row-${index}` : "");
  }

  redraw() {
    for (const slot of this.list.slots) slot.index = -1;
    this.list.render();
  }

  selectRow(index) {
    const row = this.rows.at(index);
    if (!row) return;
    if (row.folded) {
      this.rows.opened.add(row.first);
      this.update();
    } else this.select(row.record, row.event);
  }

  move(step) {
    if (!this.rows.length) return;
    const { selected, rows } = this;
    const now = selected ? rows.indexOf(selected.record, selected.event) : this.list.first - step;
    let index = Math.max(0, Math.min(rows.length - 1, now + step));
    while (rows.at(index)?.folded && index > 0 && index < rows.length - 1) index += Math.sign(step);
    if (!rows.at(index)?.folded) this.selectRow(index);
  }

  goToFailure() {
    const { failures } = this.record;
    if (!failures.length) return;
    const next = failures.find((event) => this.selected && event > this.selected.event) ?? failures[0];
    this.select(this.record, next);
  }

  goTo(time) {
    const index = this.rows.isComparing
      ? this.rows.rows.findIndex((row) => row.record === this.record && this.record.times[row.event] >= time)
      : this.rows.indexOf(this.record, this.record.eventAt(time));
    if (index >= 0) this.selectRow(index);
  }

  // Filters

  zoom(from, to) {
    const { start, end } = this.record;
    const isWhole = from <= start && to >= end;
    Object.assign(this.rows, isWhole ? { from: -Infinity, to: Infinity } : { from, to });
    get("whole").disabled = isWhole;
    this.overview.zoom(Math.max(from, start), Math.min(to, end));
    this.update();
  }

  /** Takes away the filters that hide an event. */
  reveal(event) {
    const { record, rows } = this;
    if (record.isRoutine[event]) rows.showsRoutine = get("routine").checked = true;
    if (!rows.passesDevice(record, event)) rows.device = get("device").value = "";
    if (!rows.passesLane(record, event)) this.overview.showLane(record.laneOf[event]);
    get("only").checked &&= this.search.isMatch[event] === 1;
    if (record.times[event] < rows.from || record.times[event] > rows.to) this.zoom(record.start, record.end);
    else this.update();
  }

  // Search

  onFound(isComplete) {
    const { search } = this;
    const count = search.matches.length.toLocaleString("en");
    const place = this.shownMatch >= 0 ? `${(this.shownMatch + 1).toLocaleString("en")} of ` : "";
    const result = count === "0" ? "none" : place + count;
    get("matches").textContent = !search.isActive ? "" : isComplete ? result : `${count}…`;
    for (const id of ["previous", "next"]) get(id).disabled = !search.matches.length;
    if (isComplete) {
      if (get("only").checked) this.update();
      this.redraw();
    }
  }

  find(direction) {
    const { matches } = this.search;
    if (!matches.length) return;
    const here = this.selected?.record === this.record ? this.selected.event : -1;
    let place = direction > 0
      ? matches.findIndex((event) => event > here) : matches.findLastIndex((event) => event < here);
    if (place < 0) place = direction > 0 ? 0 : matches.length - 1;
    this.shownMatch = place;
    this.select(this.record, matches[place]);
    this.onFound(true);
  }

  // The other record

  compareWith(other) {
    this.rows.compareWith(other);
    this.otherTitle = other.about.title || other.about.folder || "the other run";
    get("views").hidden = false;
    this.setComparing(true);
  }

  setComparing(isComparing) {
    this.rows.isComparing = isComparing;
    get("timeline").setAttribute("aria-pressed", String(!isComparing));
    get("differences").setAttribute("aria-pressed", String(isComparing));
    this.update();
    if (!this.selected) return;
    const index = this.rows.indexOf(this.selected.record, this.selected.event);
    if (index >= 0) this.list.show(index);
  }

  async load(file) {
    if (!file) return;
    const other = await recordIn(await file.text());
    if (other) this.compareWith(other);
    else get("shown").textContent = `${file.name} has no record`;
  }

  // Input

  listen() {
    const on = (id, type, action) => get(id).addEventListener(type, action);
    on("rows", "click", (event) => {
      const index = this.list.indexOf(event.target);
      if (index >= 0) this.selectRow(index);
    });
    on("query", "input", () => {
      this.shownMatch = -1;
      this.search.start(get("query").value.trim());
    });
    on("query", "keydown", (event) => {
      if (event.key === "Enter") this.find(event.shiftKey ? -1 : 1);
    });
    on("previous", "click", () => this.find(-1));
    on("next", "click", () => this.find(1));
    on("only", "change", () => this.update());
    on("routine", "change", () => {
      this.rows.showsRoutine = get("routine").checked;
      this.update();
    });
    on("device", "change", () => {
      this.rows.device = get("device").value;
      this.update();
    });
    on("clock", "change", () => this.redraw());
    on("failure", "click", () => this.goToFailure());
    on("whole", "click", () => this.zoom(this.record.start, this.record.end));
    on("timeline", "click", () => this.setComparing(false));
    on("differences", "click", () => this.setComparing(true));
    on("other", "change", (event) => this.load(event.target.files[0]));
    on("divider", "pointerdown", (event) => get("divider").setPointerCapture(event.pointerId));
    on("divider", "pointermove", (event) => {
      if (event.buttons & 1) setWidth(innerWidth - event.clientX);
    });
    on("divider", "keydown", (event) => {
      const step = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
      if (step) setWidth(get("details").offsetWidth + step);
    });
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      this.goBack();
      return;
    }
    if (event.target.matches("input:not([type=checkbox]), select, [role=separator]")) return;
    const page = this.list.rowsInSight;
    const actions = {
      "/": () => get("query").select(), f: () => this.goToFailure(), n: () => this.find(1), N: () => this.find(-1),
      ArrowDown: () => this.move(1), ArrowUp: () => this.move(-1), j: () => this.move(1), k: () => this.move(-1),
      PageDown: () => this.move(page), PageUp: () => this.move(-page), Home: () => this.move(-Infinity),
      End: () => this.move(Infinity), "+": () => this.zoomBy(0.5), "=": () => this.zoomBy(0.5),
      "-": () => this.zoomBy(2),
    };
    const isList = get("list").contains(event.target) || event.target === document.body;
    if (!(event.key in actions) || (event.key.length > 1 && !isList)) return;
    event.preventDefault();
    actions[event.key]();
  }

  zoomBy(factor) {
    const middle = this.selected?.record === this.record
      ? this.record.times[this.selected.event] : (this.overview.from + this.overview.to) / 2;
    this.overview.zoomAt(middle, factor);
  }

  /** Out of the search first, then out of the zoom. */
  goBack() {
    if (document.activeElement === get("query") || get("query").value) {
      get("query").value = "";
      this.search.start("");
      get("list").focus();
    } else if (!get("whole").disabled) this.zoom(this.record.start, this.record.end);
    else get("list").focus();
  }
}

function setWidth(pixels) {
  const width = Math.max(240, Math.min(innerWidth - 320, pixels));
  document.documentElement.style.setProperty("--details", `${width}px`);
}

try {
  const record = await embeddedRecord("this");
  const page = new Page(record);
  const other = await embeddedRecord("other");
  if (other) {
    page.compareWith(other);
    if (record.failures.length) page.setComparing(false);
  }
  document.documentElement.dataset.ready = "yes";
} catch (error) {
  get("details").textContent = `This record cannot be shown: ${error.stack ?? error}`;
  document.documentElement.dataset.ready = "failed";
  throw error;
}
