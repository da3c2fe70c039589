// The files that a page has in it, compressed.

export async function inflated(base64) {
  const binary = atob(base64.trim());
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The files of a record by their names, as they are in the page. */
export function filesOf(name) {
  const elements = document.querySelectorAll(`script[data-record="${name}"]`);
  return [...elements].map((element) => [element.dataset.file, element.textContent]);
}

/** The texts of a record's files by their names. */
export async function textsOf(name) {
  const texts = {};
  for (const [file, base64] of filesOf(name)) texts[file] = new TextDecoder().decode(await inflated(base64));
  return texts;
}
