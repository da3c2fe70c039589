// Elements of SVG.

const NAMESPACE = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, text = "") {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, typeof value === "number" ? Number(value.toFixed(2)) : value);
  }
  if (text) made.textContent = text;
  return made;
}
