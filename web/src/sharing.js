// The page's state in its address, and the command that gives the same run elsewhere.

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

// Returns a state as the fragment of an address.
export async function to_fragment(state) {
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return `s=${text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

// Returns the state of a fragment; null where there is none, or it is damaged.
export async function from_fragment(fragment) {
  const text = /(?:^#?|&)s=([\w-]+)/.exec(fragment)?.[1];
  if (!text) return null;
  try {
    const packed = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
    return typeof state.text === "string" ? state : null;
  } catch {
    return null;
  }
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function run(changes, digest) {
  const sets = changes.map((change) => ` \\\n    --set ${quoted(change)}`).join("");
  return `${digest ? `# digest ${digest}\n` : ""}xoff run scenario.toml${sets}`;
}

// Returns commands for a shell that run a scenario, with its changes and its digest, once for each of `runs`.
export function command(text, runs) {
  let end = "TOML";
  while (text.split("\n").includes(end)) end += "_";
  return `cat > scenario.toml <<'${end}'\n${text.replace(/\n?$/, "\n")}${end}\n${runs.map(({ changes, digest }) => run(changes, digest)).join("\n")}\n`;
}
