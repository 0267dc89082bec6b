/** What the server answers: JSON, and pictures in binary. */

/** An answer that is an error; the message is the server's own, in plain words. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const TYPES = {
  int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array,
  uint32: Uint32Array, float32: Float32Array, float64: Float64Array, int64: BigInt64Array, uint64: BigUint64Array,
};

/** Asks for JSON; parameters that are null or undefined are left out. */
export async function askJson(name, parameters, signal) {
  const response = await ask(name, parameters, signal);
  return response.json();
}

/** Asks for a picture: `header`, `values` (numbers, or texts) and `mask` (1 where there is no value), or null. */
export async function askPicture(parameters, signal) {
  const response = await ask("picture", parameters, signal);
  return readPicture(await response.arrayBuffer());
}

/** Takes a picture apart: the length of the header, the header, the values, one byte of mask for each value. */
export function readPicture(body) {
  const length = new DataView(body).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length)));
  const start = 4 + length;
  const mask = header.masked ? new Uint8Array(body, start + header.bytes, header.count) : null;
  if (header.dtype === "text") {
    const texts = JSON.parse(new TextDecoder().decode(new Uint8Array(body, start, header.bytes)));
    return { header, values: texts, mask };
  }
  return { header, values: new TYPES[header.dtype](body, start, header.count), mask };
}

async function ask(name, parameters, signal) {
  const url = new URL(`api/${name}`, document.baseURI);
  url.hash = "";
  url.search = "";
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) url.searchParams.set(key, value);
  }
  const response = await reach(url, signal);
  if (response.ok) return response;
  throw new ApiError(await explanation(response), response.status);
}

async function reach(url, signal) {
  try {
    return await fetch(url, { signal, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is it still running?", 0);
  }
}

async function explanation(response) {
  if (response.status === 401) {
    return "The server wants its token: open the page by the address that it printed when it was started.";
  }
  try {
    return (await response.json()).error;
  } catch {
    return `The server answered ${response.status} ${response.statusText}.`;
  }
}

/** Returns a function that runs a task with a signal, and aborts the task that it ran before. */
export function overtaking() {
  let controller = null;
  return async (task) => {
    controller?.abort();
    const mine = new AbortController();
    controller = mine;
    try {
      return await task(mine.signal);
    } catch (error) {
      if (error.name === "AbortError" || mine.signal.aborted) return undefined;
      throw error;
    }
  };
}
