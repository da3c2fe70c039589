// A list of any number of rows, of which only those in sight exist.

const ROW = 22; // pixels, as in page.css
const SPARE = 12; // rows beyond each edge, for scrolling on
const TALLEST = 12e6; // pixels: browsers limit the height of elements; beyond, scrolling is scaled

export class List {
  /** `draw(row, index)` fills a row's element. */
  constructor(scroller, draw) {
    Object.assign(this, { scroller, draw, count: 0, slots: [], isQueued: false, drawnFirst: 0, onScroll: () => {} });
    this.inner = scroller.firstElementChild;
    scroller.addEventListener("scroll", () => this.queue(), { passive: true });
    new ResizeObserver(() => this.queue()).observe(scroller);
  }

  /** Other rows, or rows that look different. */
  reset(count) {
    this.count = count;
    this.inner.style.height = `${Math.min(count * ROW, TALLEST)}px`;
    for (const slot of this.slots) slot.index = -1;
    this.render();
  }

  queue() {
    if (this.isQueued) return;
    this.isQueued = true;
    requestAnimationFrame(() => {
      this.isQueued = false;
      this.render();
    });
  }

  /** How far the rows are scrolled, which differs from the element's scroll position when there are very many. */
  get offset() {
    const { scrollTop, clientHeight } = this.scroller;
    const whole = this.count * ROW;
    if (whole <= TALLEST) return scrollTop;
    return (scrollTop / (TALLEST - clientHeight)) * (whole - clientHeight);
  }

  get first() {
    return Math.max(0, Math.min(this.count - 1, Math.floor(this.offset / ROW)));
  }

  get last() {
    return Math.max(0, Math.min(this.count - 1, Math.floor((this.offset + this.scroller.clientHeight) / ROW)));
  }

  get rowsInSight() {
    return Math.max(1, Math.floor(this.scroller.clientHeight / ROW));
  }

  /** Scrolls as little as is needed; to the middle if the row is out of sight. */
  show(index) {
    const { clientHeight } = this.scroller;
    const top = index * ROW;
    let offset = this.offset;
    if (top >= offset && top + ROW <= offset + clientHeight) return;
    const isNear = top > offset - 3 * ROW && top < offset + clientHeight + 3 * ROW;
    offset = isNear ? (top < offset ? top : top + ROW - clientHeight) : top - clientHeight / 2;
    const whole = this.count * ROW;
    const scale = whole <= TALLEST ? 1 : (TALLEST - clientHeight) / (whole - clientHeight);
    this.scroller.scrollTop = offset * scale;
    this.render();
  }

  render() {
    // After a jump, what is in sight is drawn at once, and what is beyond in the next frame, if there is no other jump.
    const isJump = Math.abs(this.first - this.drawnFirst) > this.rowsInSight;
    this.drawnFirst = this.first;
    const spare = isJump ? 0 : SPARE;
    const from = Math.max(0, this.first - spare);
    const to = Math.min(this.count, this.last + spare + 1);
    while (this.slots.length < to - from) this.addSlot();
    const shift = this.scroller.scrollTop - this.offset;
    for (let index = from; index < to; index++) {
      const slot = this.slots[index % this.slots.length];
      if (slot.index !== index) {
        slot.index = index;
        slot.element.hidden = false;
        slot.element.id = `row-${index}`;
        this.draw(slot.element, index);
      }
      const top = index * ROW + shift;
      if (slot.top !== top) slot.element.style.transform = `translateY(${top}px)`;
      slot.top = top;
    }
    for (const slot of this.slots) {
      if (slot.index < from || slot.index >= to) {
        slot.index = -1;
        slot.element.hidden = true;
      }
    }
    this.onScroll();
    if (isJump) this.queue();
  }

  /** The places of rows change with the number of slots. */
  addSlot() {
    const element = document.createElement("div");
    element.role = "option";
    this.inner.append(element);
    this.slots.push({ element, index: -1, top: -1 });
    for (const slot of this.slots) slot.index = -1;
  }

  indexOf(element) {
    const row = element.closest?.("[role=option]");
    return this.slots.find((slot) => slot.element === row)?.index ?? -1;
  }
}
