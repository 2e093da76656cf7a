// Elements that several parts of the page are made of.

export const make = (tag, text, name) => Object.assign(document.createElement(tag), { textContent: text ?? "", className: name ?? "" });

// Adds a table with its head. A row is its name and its cells, each of them text or an element.
export function grid(parent, head, rows) {
  const scroll = make("div", null, "scroll"), table = make("table"), top = make("thead"), body = make("tbody");
  scroll.tabIndex = 0;
  const heading = (content, scope) => {
    const made = Object.assign(make("th"), { scope });
    made.append(content);
    return made;
  };
  const line = (...cells) => {
    const made = make("tr");
    made.append(...cells);
    return made;
  };
  top.append(line(...head.map((name) => heading(name, "col"))));
  body.append(...rows.map(([name, ...cells]) => line(heading(name, "row"), ...cells.map((cell) => cell instanceof Element ? cell : make("td", cell)))));
  table.append(top, body);
  scroll.append(table);
  parent.append(scroll);
}
