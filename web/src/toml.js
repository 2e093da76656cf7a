// Where things stand in a TOML text: the path of a place, and the place of a path. Text that is not whole yet is fine.

// Walks a text up to `until`. Calls `key(path, from, to)` for each key and header, and returns the place where it ends:
// the path of the table there, and the path of the key whose value is being written, if one is.
export function walk(text, until = text.length, key = () => {}) {
  let table = [], at = 0, stack = [], own = null, value = false, start = -1;
  const counts = new Map();
  const here = () => stack.length ? stack.at(-1).path : table;
  const end = () => { own = null; value = false; start = -1; };
  while (at < until) {
    const letter = text[at];
    if (letter === "#") {
      while (at < until && text[at] !== "\n") at += 1;
      if (at >= until) return { table: here(), key: null, in_value: false, in_comment: true };
    } else if (letter === "\n") {
      if (!stack.length) end();
      at += 1;
    } else if (letter === "\"" || letter === "'") {
      const triple = text.startsWith(letter.repeat(3), at) ? 3 : 1;
      let close = at + triple;
      while (close < text.length && !text.startsWith(letter.repeat(triple), close)) {
        if (triple === 1 && text[close] === "\n") break;
        close += letter === "\"" && text[close] === "\\" ? 2 : 1;
      }
      if (close + triple > until) return { table: here(), key: own, in_value: value, in_string: at };
      if (!value && start < 0) start = at;
      at = close + triple;
    } else if (letter === "[" && !value && !stack.length && /(^|\n)[ \t]*$/.test(text.slice(0, at))) {
      const many = text[at + 1] === "[";
      const close = text.indexOf("]", at), line = text.indexOf("\n", at);
      if (close < 0 || close >= until || (line >= 0 && line < close)) {
        return { table: [], key: null, in_value: false, in_header: at + (many ? 2 : 1) };
      }
      const parts = split(text.slice(at + (many ? 2 : 1), close)), name = parts.join(".");
      if (many) {
        const count = counts.get(name) ?? 0;
        counts.set(name, count + 1);
        parts[parts.length - 1] += `[${count}]`;
      } else if (counts.get(parts[0]) && parts.length > 1) {
        parts[0] += `[${counts.get(parts[0]) - 1}]`;
      }
      table = parts;
      key(table, at, close + (many ? 2 : 1));
      at = close + (many ? 2 : 1);
    } else if (letter === "=" && !value) {
      const from = start < 0 ? at : start, name = text.slice(from, at).trimEnd();
      own = [...here(), ...split(name)];
      key(own, from, from + name.length);
      value = true; start = -1; at += 1;
    } else if (letter === "{" || (letter === "[" && value)) {
      const many = letter === "[", before = stack.at(-1);
      let path = own ?? here();
      if (before?.many) { path = [...before.path.slice(0, -1), `${before.path.at(-1)}[${before.count}]`]; before.count += 1; }
      stack.push({ many, path, own, value, count: 0 });
      if (!many) end();
      at += 1;
    } else if (letter === "}" || letter === "]") {
      const before = stack.pop();
      if (before) ({ own, value } = before);
      start = -1;
      at += 1;
    } else if (letter === ",") {
      if (stack.length && !stack.at(-1).many) end();
      at += 1;
    } else {
      if (!value && start < 0 && /\S/.test(letter)) start = at;
      at += 1;
    }
  }
  return { table: here(), key: own, in_value: value };
}

function split(name) {
  return (name.match(/"[^"]*"|'[^']*'|[^.\s]+/g) ?? []).map((part) => part.replace(/^["']|["']$/g, ""));
}

const bare = (path) => path.replace(/\[\d+\]/g, "");

// Returns begin and end of what an error's key names: the key itself, or else the nearest table that has it.
export function place(text, key) {
  const line = /^line (\d+)$/.exec(key);
  if (line) {
    const lines = text.split("\n"), number = Math.min(+line[1], lines.length) - 1;
    const from = lines.slice(0, number).reduce((sum, each) => sum + each.length + 1, 0);
    return [from, from + lines[number].length];
  }
  const known = new Map(), without = new Map();
  walk(text, text.length, (path, from, to) => {
    const name = path.join(".");
    if (!known.has(name)) known.set(name, [from, to]);
    if (!without.has(bare(name))) without.set(bare(name), [from, to]);
  });
  for (let name = key; name; name = name.replace(/(\.|\[)[^.[]*$/, "")) {
    const found = known.get(name) ?? without.get(bare(name));
    if (found) return found;
    if (!/[.[]/.test(name)) break;
  }
  return null;
}

// Returns the path of a place without positions in lists and names that users gave, as the catalogue has it.
export function catalogued(path, prefixes) {
  const found = [];
  for (const part of path.map(bare)) {
    const next = [...found, part].join(".");
    if (prefixes.has(next)) found.push(part);
    else if (!found.length) return null;
  }
  return found.join(".");
}
