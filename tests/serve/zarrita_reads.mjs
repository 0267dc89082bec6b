// Reads what it is told to by zarrita.js, and writes what it found as JSON.
// node --input-type=module - '{"headers": {…}, "reads": [{"url": …, "path": …, "format": "v2" | "v3", "selection": […]}]}' < zarrita_reads.mjs
import * as zarr from "zarrita";

const asked = JSON.parse(process.argv[2]);
const found = [];
for (const { url, path, format, selection, suffix } of asked.reads) {
  const options = { overrides: { headers: asked.headers }, useSuffixRequest: suffix };
  const location = zarr.root(new zarr.FetchStore(url, options)).resolve(path);
  try {
    const array = await zarr.open[format](location, { kind: "array" });
    const parts = selection && selection.map((part) => (Array.isArray(part) ? zarr.slice(...part) : part));
    const { data, shape } = await zarr.get(array, parts);
    found.push({ dtype: array.dtype, shape, data: Array.from(data, Number) });
  } catch (error) {
    found.push({ error: `${error.name}: ${error.message}` });
  }
}
console.log(JSON.stringify(found));
