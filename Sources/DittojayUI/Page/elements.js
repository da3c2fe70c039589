// Elements without markup in texts: what a peripheral calls itself is never read as HTML.

const drawing = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** An HTML element: attributes by their names, listeners as `onclick`. */
export function make(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An element of a drawing. */
export function draw(tag, properties = {}, ...children) {
  return fill(document.createElementNS(drawing, tag), properties, children);
}

/** The element of the page with this id. */
export const part = (id) => document.getElementById(id);

/** Sets a text only if it is another one, so that screen readers do not repeat it. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes the children of a list those of `items`, and keeps the elements of those that stay. */
export function keep(list, items, key, create, update) {
  const present = new Map([...list.children].map((child) => [child.dataset.key, child]));
  const wanted = items.map((item) => {
    const name = key(item);
    const element = present.get(name) ?? create(item);
    element.dataset.key = name;
    update?.(element, item);
    return element;
  });
  for (const child of [...list.children]) if (!wanted.includes(child)) child.remove();
  wanted.forEach((element, index) => {
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
  });
}

/** A number with the sign that a minus has in print. */
export const printed = (number) => String(number).replace("-", "−");

/** A switch with its name; `change` gets whether it is on. */
export function toggle(name, change) {
  const input = make("input", { type: "checkbox", role: "switch", onchange: () => change(input.checked) });
  const label = make("label", { class: "switch" }, input, make("span", { "aria-hidden": "true" }), name);
  return { label, input };
}
