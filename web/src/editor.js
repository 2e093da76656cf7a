// The editor of a scenario: TOML, with completion and hover help from the simulator's catalogue, and its errors.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { catalogued, place, walk } from "./toml.js";

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)" },
  { tag: tags.string, color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--number)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.keyword], color: "var(--accent)" },
]);

let keys = [], prefixes = new Set();

// Takes in the catalogue of keys.
export function explain(catalogue) {
  keys = catalogue.keys.filter((entry) => !entry.path.startsWith("fluid"));
  prefixes = new Set();
  for (const entry of keys.filter((entry) => entry.family === null)) {
    const parts = entry.name.split(".");
    parts.forEach((_, index) => prefixes.add(parts.slice(0, index + 1).join(".")));
  }
}

function described(entry) {
  const box = document.createElement("div");
  box.className = "explained";
  const add = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    box.append(element);
  };
  add("b", entry.name + (entry.symbol ? ` [${entry.symbol}]` : ""));
  if (entry.about) add("p", entry.about);
  const told = [entry.takes, entry.default ? `default ${entry.default}` : entry.required ? "must be set" : ""].filter(Boolean);
  if (told.length) add("p", told.join("; "));
  if (entry.of.length) add("p", `of ${entry.of.slice(0, 8).join(", ")}${entry.of.length > 8 ? ", …" : ""}`);
  return box;
}

function options(context) {
  const text = context.state.doc.toString(), at = walk(text, context.pos);
  const word = context.matchBefore(/[\w.]*/);
  if (at.in_comment || (word.from === word.to && !context.explicit && !at.in_string)) return null;
  if (at.in_header !== undefined) {
    const tables = [...prefixes].filter((name) => [...prefixes].some((other) => other.startsWith(`${name}.`)));
    return { from: at.in_header, options: tables.map((label) => ({ label, type: "namespace" })), validFor: /^[\w.]*$/ };
  }
  if (at.in_value || at.in_string) {
    const name = at.key && catalogued(at.key, prefixes);
    const found = keys.filter((entry) => entry.family === null && entry.name === name);
    const words = found.flatMap((entry) => entry.choices);
    const quoted = (label) => at.in_string === undefined ? `"${label}"` : label;
    const from = at.in_string === undefined ? word.from : at.in_string + 1;
    const list = words.map(({ name: label, about }) => ({ label: quoted(label), info: about, type: "enum" }));
    if (found.some((entry) => entry.takes === "true or false")) list.push({ label: "true" }, { label: "false" });
    return list.length ? { from, options: list, validFor: /^[\w"]*$/ } : null;
  }
  const table = catalogued(at.table, prefixes);
  if (table === null && at.table.length) return null;
  const before = table ? `${table}.` : "", seen = new Map();
  for (const entry of keys) {
    if (entry.family !== null || !entry.name.startsWith(before)) continue;
    const label = entry.name.slice(before.length);
    if (label && !label.includes(".") && !seen.has(label)) seen.set(label, entry);
  }
  const list = [...seen].map(([label, entry]) => ({
    label, type: "property", apply: `${label} = `, detail: entry.takes.slice(0, 40), info: () => described(entry), boost: entry.required ? 1 : 0,
  }));
  return list.length ? { from: word.from, options: list, validFor: /^\w*$/ } : null;
}

const help = hoverTooltip((view, pos) => {
  const line = view.state.doc.lineAt(pos), text = view.state.doc.toString();
  let from = pos, to = pos;
  while (from > line.from && /[\w]/.test(text[from - 1])) from -= 1;
  while (to < line.to && /[\w]/.test(text[to])) to += 1;
  if (from === to) return null;
  const word = text.slice(from, to), path = [];
  walk(text, text.length, (key, begin, end) => { if (begin <= pos && pos <= end) path.push(...key); });
  const name = path.length ? catalogued(path, prefixes) : null;
  // A key by its path; a word by what it is the name of.
  const found = name ? keys.find((entry) => entry.family === null && entry.name === name)
    : keys.find((entry) => entry.family !== null && entry.name === word);
  return found ? { pos: from, end: to, above: true, create: () => ({ dom: described(found) }) } : null;
});

// Makes the editor. `changed` is called with the text as it changes, `run` on Ctrl+Enter.
export function editor(parent, { changed, run }) {
  const view = new EditorView({
    parent,
    state: EditorState.create({ extensions: [
      lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), closeBrackets(), lintGutter(),
      StreamLanguage.define(toml), syntaxHighlighting(COLOURS), autocompletion({ override: [options] }), help,
      keymap.of([{ key: "Mod-Enter", run: () => { run(); return true; } }, ...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({ "aria-label": "Scenario in TOML" }),
      EditorView.updateListener.of((update) => { if (update.docChanged) changed(view.state.doc.toString()); }),
    ] }),
  });
  return {
    get text() { return view.state.doc.toString(); },
    set text(text) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }); },
    // Shows an error of the scenario where its key stands; none clears it.
    show(error) {
      const at = error && (place(view.state.doc.toString(), error.key) ?? [0, view.state.doc.line(1).to]);
      const of = error ? [{ from: at[0], to: Math.max(at[1], at[0]), severity: "error", message: `${error.problem}; ${error.expected}` }] : [];
      view.dispatch(setDiagnostics(view.state, of));
    },
  };
}
