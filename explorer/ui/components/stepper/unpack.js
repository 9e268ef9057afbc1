/* A packed script (explorer/views/steppers/packing.py): zlib around the length of a JSON, the JSON, and the lists of
   numbers of its steps, each in four planes of bytes, lowest bytes first. */

const WIDTH = 4;

async function unpack(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const content = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = WIDTH + new DataView(content.buffer).getUint32(0, true);
  const script = JSON.parse(new TextDecoder().decode(content.subarray(WIDTH, at)));
  for (const [name, count] of Object.entries(script.steps)) {
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
