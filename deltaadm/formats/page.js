"use strict";
for (const table of document.querySelectorAll("table.fleet")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
  const box = document.createElement("input"), count = document.createElement("output");
  const label = document.createElement("label");
  box.type = "search";
  label.className = "controls";
  label.append("Filter", box, count);
  table.parentElement.before(label);
  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  box.addEventListener("input", filter);
  filter();
  const { compare } = new Intl.Collator("en", { numeric: true });
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      rows.sort((one, other) => {
        const [a, b] = [one, other].map((row) => row.cells[column]?.textContent ?? "");
        return a && b ? sign * compare(a, b) : !a - !b;
      });
      body.append(...rows);
    });
  });
}
for (const code of navigator.clipboard ? document.querySelectorAll("pre > code") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.append("Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  });
  code.after(button);
}
