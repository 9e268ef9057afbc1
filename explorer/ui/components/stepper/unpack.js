/* A packed script (explorer/script/script.py): zlib around the length of a JSON, the JSON, and the lists of
   numbers of its steps, each in four planes of bytes, lowest bytes first. In a file, what steps put and mark are
   differences. */

const WIDTH = 4;
const RECORDS = { patches: true, marks: false }; // of track, key and a third number: do so many follow?

async function unpack(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const content = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = WIDTH + new DataView(content.buffer).getUint32(0, true);
  const script = JSON.parse(new TextDecoder().decode(content.subarray(WIDTH, at)));
  const { dense } = script;
  delete script.dense;
  for (const [name, count] of Object.entries(script.steps)) {
    if (dense && name in RECORDS) {
      [script.steps[name], at] = records(content, at, count, RECORDS[name]);
      continue;
    }
    script.steps[name] = numbers(content.subarray(at, at + WIDTH * count), count, name.endsWith("_at"));
    at += WIDTH * count;
  }
  return script;
}

/* growing: the distances are stored. */
function numbers(planes, count, growing) {
  const found = new Array(count);
  let before = 0;
  for (let i = 0; i < count; i += 1) {
    const number = planes[i] | (planes[i + count] << 8) | (planes[i + 2 * count] << 16) | (planes[i + 3 * count] << 24);
    found[i] = growing ? (before += number) : number;
  }
  return found;
}

/* Records whose keys are stored as distances within their track, and whose rows as distances from the one before that is
   as long; and the index after them. */
function records(bytes, start, count, hasRows) {
  let at = start;
  const read = () => {
    let number = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at];
      at += 1;
      number += (byte % 128) * scale;
      if (byte < 128) return number % 2 ? -(number + 1) / 2 : number / 2;
    }
  };
  const keys = new Map();
  const rows = new Map();
  const found = [];
  while (found.length < count) {
    const [track, third] = [read(), read()];
    const key = (keys.get(track) ?? 0) + read();
    keys.set(track, key);
    const name = `${track} ${third}`;
    const row = [...(rows.get(name) ?? new Array(hasRows ? Math.max(0, third) : 0).fill(0))].map((number) => number + read());
    rows.set(name, row);
    found.push(track, key, third, ...row);
  }
  return [found, at];
}
