"""
What pages of reports look like, and the script of those with many reports.

The script sorts and filters the list of the reports, and unfolds what is folded for printing;
without it nothing is missing but that. It makes no HTML of any text.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

STYLE = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1c1e21; --faint: #5a6068; --line: #c9ced6; --head: #f2f4f7;
  --error: #b3261e; --warning: #8a5300; --info: #0b57a4; --good: #1a6b33; --node: #eef4fb;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #16181b; --text: #e6e8eb; --faint: #a3abb5; --line: #444b55; --head: #22262b;
    --error: #ff8f86; --warning: #f0b45b; --info: #8ec0ff; --good: #7fd99a; --node: #202b38;
  }
}
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { border-bottom: 2px solid var(--line); margin-top: 2.5rem; }
.error { color: var(--error); } .warning { color: var(--warning); }
.info { color: var(--info); } .good { color: var(--good); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: start;
  vertical-align: top; overflow-wrap: break-word; min-width: 5rem; }
th { background: var(--head); font-weight: 600; }
pre { background: var(--head); border: 1px solid var(--line); padding: 0.6rem;
  overflow-x: auto; }
li { overflow-wrap: anywhere; }
.option { white-space: nowrap; }
.changes { list-style: none; padding: 0; }
.changes li { padding-left: 1.2em; text-indent: -1.2em; }
@media (max-width: 30rem) { .changes { font-size: 0.875rem; } }
footer, figcaption { color: var(--faint); font-size: 0.875rem; }
th.added { color: var(--good); } th.dropped { color: var(--error); }
th.changed { color: var(--warning); }
@media screen and (max-width: 40rem) {
  body { padding: 0.5rem; font-size: 0.9375rem; } th, td { padding: 0.2rem 0.35rem; }
  .matrix { font-size: 0.75rem; }
  table:not(.matrix) { display: block; }
  table:not(.matrix) :is(thead, tbody, tr, th, td) { display: block; border: 0; }
  table:not(.matrix) thead { display: none; }
  table:not(.matrix) tr { border: 1px solid var(--line); margin-bottom: 0.5rem; }
  td[data-title]::before { content: attr(data-title) ": "; color: var(--faint); }
  pre { white-space: pre-wrap; }
  figure { overflow-x: auto; } figure svg:not(.timeline) { max-width: none; }
  .fleet.scripted thead { display: block; }
  .fleet.scripted thead tr { display: flex; flex-wrap: wrap; }
  .fleet td:empty { display: none; }
}
.cards { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 0.75rem 0 1.25rem; }
.card { border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 0.9rem; flex: 1 1 9rem; }
.card dt { color: var(--faint); font-size: 0.875rem; }
.card dd { margin: 0; font-size: 1.125rem; font-weight: 600; }
summary { cursor: pointer; }
.matrix { width: auto; }
.matrix th, .matrix td { min-width: 0; padding: 0.15rem 0.4rem; white-space: nowrap; }
.matrix thead th { vertical-align: bottom; }
.matrix thead span { writing-mode: vertical-rl; rotate: 180deg; }
.matrix tbody th { position: sticky; left: 0; font-weight: 400; }
.mark { font-family: ui-monospace, monospace; text-align: center; }
.mark.good { background: color-mix(in srgb, var(--good) 22%, transparent); }
.mark.info { background: transparent; color: var(--faint); }
.mark.warning { background: color-mix(in srgb, var(--warning) 22%, transparent); }
.mark.error { background: var(--error); color: var(--page); font-weight: 600; }
.legend { color: var(--faint); font-size: 0.875rem; }
figure { margin: 1rem 0; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--text); font: 13px system-ui, sans-serif; }
svg .state { fill: var(--faint); font-size: 11px; }
svg rect { fill: var(--node); stroke: var(--line); stroke-width: 1.5; }
svg .active rect { stroke: var(--good); }
svg .missing rect { fill: none; stroke-dasharray: 5 4; }
svg .added rect { stroke: var(--good); stroke-width: 3; }
svg .dropped rect { stroke: var(--error); stroke-dasharray: 5 4; }
svg .dropped text { text-decoration: line-through; }
svg .error rect { stroke: var(--error); stroke-width: 3; }
svg .warning rect { stroke: var(--warning); stroke-width: 3; }
svg .info rect { stroke: var(--info); stroke-width: 3; }
svg path { fill: none; stroke: var(--faint); stroke-width: 1.5; }
svg marker path { fill: var(--faint); stroke: none; }
svg.timeline { width: 100%; max-width: none; }
svg.timeline line { stroke: var(--line); stroke-dasharray: 2 4; }
svg.timeline .feature rect { fill: color-mix(in srgb, var(--good) 22%, transparent);
  stroke: var(--good); stroke-width: 1; }
[hidden] { display: none !important; }
.fleet thead th { position: sticky; top: 0; }
.fleet-box { overflow: auto; max-height: 70vh; }
.controls { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0.75rem 0; }
.controls input { flex: 1 1 10rem; max-width: 24rem; font: inherit; padding: 0.25rem 0.5rem; }
.controls output { color: var(--faint); }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--info); outline-offset: 2px; }
th[aria-sort] button::after { content: " \\25B2"; }
th[aria-sort="descending"] button::after { content: " \\25BC"; }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; }
  .controls { display: none; }
  .scroll, .fleet-box { overflow: visible; max-height: none; }
  .fleet thead th, .matrix tbody th { position: static; }
  details::details-content { content-visibility: visible; block-size: auto; }
  section + section { break-before: page; }
  nav { break-after: page; }
  tr, .card, figure, pre { break-inside: avoid; }
  h1, h2, h3, h4 { break-after: avoid; }
  pre { white-space: pre-wrap; }
  .mark, svg { print-color-adjust: exact; }
}
"""

FRAGMENT_CLASS = "deltaadm"


def fragment_style() -> str:
    """The same style for what stands inside another page, of which it changes nothing else."""
    own = STYLE.replace(":root", "&").replace("body {", "& {")
    return f".{FRAGMENT_CLASS} {{{own}& section > h2 {{ margin-top: 0; }}\n}}"


SCRIPT = r"""
"use strict";
for (const table of document.querySelectorAll("table.fleet")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
  const box = document.createElement("input"), count = document.createElement("output");
  const label = document.createElement("label");
  box.type = "search";
  label.className = "controls";
  label.append("Filter", box, count);
  table.parentElement.before(label);
  table.classList.add("scripted");
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
        const [a, b] = [one, other].map((row) => row.cells[column].textContent);
        return a && b ? sign * compare(a, b) : !a - !b;
      });
      body.append(...rows);
    });
  });
}
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not([open])")];
  for (const one of unfolded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of unfolded) one.open = false;
});
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing runs or is loaded, even if some text of a table escaped the escaping."""


def policy_with_script() -> str:
    """The same for a page with the script, and nothing but that runs."""
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    return f"{POLICY}; script-src 'sha256-{digest}'"
