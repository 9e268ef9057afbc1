/* A call in the address: its JSON, deflated, in letters that a URL takes (explorer/prompts/messages.py reads it, too).

   await packed(call)       the parameter; null if it is too long for a link
   await unpacked(text)     the call; null for what is none, and for what grows beyond MOST_BYTES                    */

const LONGEST_CHAT = 8_000;
const MOST_BYTES = 1_000_000;

async function packed(call) {
  const stream = new Blob([JSON.stringify(call).toWellFormed()]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  if (bytes.length > LONGEST_CHAT) return null;
  const text = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return text.length > LONGEST_CHAT ? null : text;
}

async function unpacked(text) {
  if (text.length > LONGEST_CHAT) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
    const parts = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > MOST_BYTES) {
        await reader.cancel();
        return null;
      }
      parts.push(value);
    }
    const call = JSON.parse(await new Blob(parts).text());
    return Array.isArray(call) ? { messages: call } : Array.isArray(call?.messages) ? call : null;
  } catch {
    return null;
  }
}
