// The secret of the page's address, and the calls that need it.
//
// It is in the part of the address that browsers keep to themselves. It is taken out of the address bar, and kept for
// this tab and this origin alone: unlike a cookie, no other port of this machine gets it.

const place = "dittojay-token";

function takeToken() {
  const given = location.hash.slice(1);
  if (/^[0-9a-f]{64}$/.test(given)) {
    sessionStorage.setItem(place, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(place);
}

let token = takeToken();

/** Whether there is a secret to try. */
export const hasToken = () => token !== null;

/** Forgets a secret that is another program's. */
export function forgetToken() {
  token = null;
  sessionStorage.removeItem(place);
}

/** A request to this server, with the secret. */
export function call(path, options = {}) {
  const headers = { ...options.headers, Authorization: `Bearer ${token}` };
  return fetch(path, { ...options, headers, cache: "no-store", credentials: "omit", redirect: "error" });
}

async function send(message) {
  try {
    const headers = { "Content-Type": "application/json" };
    const response = await call("api/command", { method: "POST", headers, body: JSON.stringify(message) });
    if (!response.ok) return { ok: false, error: (await response.text()).trim() };
    return await response.json();
  } catch {
    return { ok: false, error: "dittojay ui does not answer" };
  }
}

/** Has a peripheral carry out a request; the reply has `ok`, and `error` if that is false. */
export const command = (peripheral, request) => send({ peripheral, request });

/** The same for the virtual radio. */
export const radioCommand = (request) => send({ radio: true, request });
