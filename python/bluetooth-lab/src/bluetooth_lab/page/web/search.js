// Full-text search in all events, in slices of time so that the page stays quick meanwhile.

const SLICE = 8; // milliseconds

export class Search {
  /** `onFound(isComplete)` is called as matches are found. */
  constructor(onFound) {
    Object.assign(this, { onFound, query: "", matches: [], isMatch: new Uint8Array(), run: 0 });
  }

  open(record) {
    this.record = record;
    this.texts = new Array(record.count);
    this.start("");
  }

  /** What is searched of an event: what its row shows, and all that is in it. */
  textOf(event) {
    let text = this.texts[event];
    if (text === undefined) {
      const { record } = this;
      const source = record.sources[event];
      text = source.summary(record.refs[event]);
      if (source === record.messages) {
        text += `\n${source.list[record.refs[event]].path}\n${source.body(record.refs[event])}`;
      }
      text = `${text} ${record.deviceOf[event] ?? ""}`.toLowerCase();
      this.texts[event] = text;
    }
    return text;
  }

  start(query) {
    this.query = query.toLowerCase();
    this.matches = [];
    this.isMatch = new Uint8Array(this.record.count);
    this.run += 1;
    if (this.query) this.continue(this.run, 0);
    else this.onFound(true);
  }

  continue(run, from) {
    if (run !== this.run) return;
    const deadline = performance.now() + SLICE;
    let event = from;
    for (; event < this.record.count; event++) {
      if (this.textOf(event).includes(this.query)) {
        this.matches.push(event);
        this.isMatch[event] = 1;
      }
      if (event % 16 === 0 && performance.now() > deadline) break;
    }
    const isComplete = event >= this.record.count;
    this.onFound(isComplete);
    if (!isComplete) setTimeout(() => this.continue(run, event + 1));
  }

  get isActive() {
    return this.query !== "";
  }
}

/** Fills an element with a text, in which what was searched for is marked. */
export function marked(element, text, query) {
  if (!query) {
    element.textContent = text;
    return;
  }
  element.replaceChildren();
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, from)) {
    const mark = document.createElement("mark");
    mark.textContent = text.slice(at, at + query.length);
    element.append(text.slice(from, at), mark);
    from = at + query.length;
  }
  element.append(text.slice(from));
}
