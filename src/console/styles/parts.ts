// The style sheet, second part: badges, notes, forms, facts, commands, the plot.

const css = String.raw

export const PARTS_STYLE = css`
  .quiet,
  .nought {
    color: var(--quiet);
  }
  .nought {
    font-weight: 400;
  }
  time,
  .number {
    font-variant-numeric: tabular-nums;
  }
  time {
    white-space: nowrap;
  }
  .said {
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
  code {
    font: 0.87em/1.5 var(--mono);
  }
  .badge {
    display: inline-block;
    padding: 0 0.55em;
    border-radius: 1em;
    font-size: 0.87rem;
    font-weight: 550;
    white-space: nowrap;
    background: var(--line);
  }
  .badge.good,
  .note.good {
    color: var(--good);
    background: var(--good-ground);
  }
  .badge.warn,
  .note.warn {
    color: var(--warn);
    background: var(--warn-ground);
  }
  .badge.bad,
  .note.bad {
    color: var(--bad);
    background: var(--bad-ground);
  }
  .badge.busy,
  .note.busy {
    color: var(--busy);
    background: var(--busy-ground);
  }
  .note {
    padding: 0.7rem 1rem;
    margin: 0 0 1rem;
    border-radius: 0.5rem;
    border-inline-start: 3px solid currentcolor;
    overflow-wrap: anywhere;
  }
  .note p:last-child,
  .note ul:last-child {
    margin-bottom: 0;
  }
  .note a {
    color: inherit;
  }
  .note ul {
    margin: 0;
    padding-inline-start: 1.1rem;
  }
  .none {
    padding: 1rem 1.1rem;
    border: 1px dashed var(--line-strong);
    border-radius: 0.5rem;
    color: var(--quiet);
    max-width: none;
  }
  .command {
    display: inline-block;
    padding: 0.25rem 0.6rem;
    border: 1px solid var(--line);
    border-radius: 0.35rem;
    background: var(--ground);
    color: var(--ink);
    user-select: all;
    overflow-wrap: anywhere;
  }
  .chip {
    display: inline-block;
    padding: 0 0.45em;
    margin-block: 0.08rem;
    border: 1px solid var(--line-strong);
    border-radius: 0.3rem;
    font-size: 0.93em;
  }
  .chip.added {
    color: var(--to);
    border-color: currentcolor;
  }
  .chip.removed {
    color: var(--from);
    border-color: currentcolor;
    text-decoration: line-through;
  }
  .groups {
    display: grid;
    grid-template-columns: fit-content(50%) minmax(0, 1fr);
    gap: 0.3rem 1rem;
    margin: 0 0 1rem;
  }
  .groups dt {
    overflow-wrap: anywhere;
  }
  .groups dd {
    margin: 0;
  }
  .groups .chip {
    padding: 0.15rem 0.6rem;
    text-decoration: none;
  }
  .groups .chip[aria-current] {
    background: var(--accent-ground);
    border-color: var(--accent);
    font-weight: 550;
  }
  .facts {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr));
    gap: 0.9rem 1.25rem;
    margin: 0 0 1.25rem;
    padding: 1rem 1.15rem;
    background: var(--sheet);
    border: 1px solid var(--line);
    border-radius: 0.6rem;
  }
  .facts dt {
    color: var(--quiet);
    font-size: 0.87rem;
  }
  .facts dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .facts .wide {
    grid-column: 1 / -1;
  }
  .trail {
    margin-bottom: 0.25rem;
    color: var(--quiet);
    font-size: 0.93rem;
  }
  form {
    margin: 0;
  }
  label {
    display: block;
    font-size: 0.87rem;
    color: var(--quiet);
  }
  input,
  textarea,
  select,
  button {
    font: inherit;
    color: inherit;
    min-height: 2.3rem;
    padding: 0.3rem 0.7rem;
    border: 1px solid var(--line-strong);
    border-radius: 0.4rem;
    background: var(--sheet);
    max-width: 100%;
  }
  ::placeholder {
    color: var(--quiet);
    opacity: 1;
  }
  button {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--sheet);
    font-weight: 550;
    cursor: pointer;
  }
  button.plain {
    background: none;
    border-color: transparent;
    color: var(--quiet);
    font-weight: 400;
  }
  button.plain:hover {
    color: var(--ink);
    border-color: var(--line-strong);
  }
  button.small {
    min-height: 0;
    padding: 0.15rem 0.6rem;
    font-size: 0.87rem;
    background: var(--sheet);
    color: var(--accent);
  }
  form.ask {
    display: inline-block;
    margin: 0.1rem 0.3rem 0.1rem 0;
  }
  form.confirm {
    display: grid;
    gap: 0.5rem;
    max-width: 34rem;
    margin: 1rem 0;
    justify-items: start;
  }
  form.confirm > div {
    width: 100%;
  }
  form.confirm input,
  form.confirm textarea {
    width: 100%;
  }
  [aria-invalid='true'] {
    border-color: var(--bad);
  }
  .problem {
    margin: 0.1rem 0 0;
    color: var(--bad);
    font-size: 0.93rem;
  }
  .search {
    display: flex;
    gap: 0.4rem;
  }
  .search input {
    flex: 1;
    min-width: 0;
    background: var(--ground);
  }
  .filter {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.6rem;
    margin-bottom: 1rem;
  }
  .bare form {
    display: grid;
    gap: 0.4rem;
  }
  .bare form button {
    margin: 0.6rem 0 1rem;
  }
  .pager {
    display: flex;
    gap: 1.25rem;
    justify-content: end;
    margin: 1rem 0;
  }
  details > summary {
    cursor: pointer;
    color: var(--accent);
    width: fit-content;
  }
  details[open] > summary {
    margin-bottom: 0.5rem;
  }
  progress {
    accent-color: var(--accent);
  }
  progress,
  meter {
    width: 100%;
    max-width: 14rem;
    height: 0.7rem;
  }
  .plot {
    margin: 0;
    padding: 1rem 1.15rem 0.75rem;
    background: var(--sheet);
    border: 1px solid var(--line);
    border-radius: 0.6rem;
  }
  .plot svg {
    display: block;
    width: 100%;
    height: auto;
  }
  .plot .narrow {
    display: none;
  }
  .plot text {
    fill: var(--quiet);
    font: 11px var(--text);
  }
  .plot .grid {
    stroke: var(--line);
  }
  .plot .base {
    stroke: var(--line-strong);
  }
  .created {
    fill: var(--bar-created);
  }
  .updated {
    fill: var(--bar-updated);
  }
  .rejected {
    fill: var(--bar-rejected);
  }
  .failed {
    fill: var(--bar-failed);
  }
  .held {
    fill: var(--bar-held);
  }
  .in_doubt {
    fill: var(--bar-doubt);
  }
  .sent {
    fill: var(--bar-sent);
  }
  .delay {
    fill: var(--bar-delay);
  }
  .plot .limit {
    stroke: var(--bad);
    stroke-dasharray: 5 4;
  }
  .plot figcaption {
    margin-top: 0.5rem;
    font-size: 0.87rem;
  }
  .plot ul {
    display: flex;
    flex-wrap: wrap;
    gap: 0.15rem 1.1rem;
    margin: 0.5rem 0 0;
    padding: 0;
    list-style: none;
    font-size: 0.87rem;
  }
  .plot li svg {
    display: inline-block;
    width: 0.75rem;
    height: 0.75rem;
    margin-inline-end: 0.2rem;
    vertical-align: -0.05rem;
  }
  .plot details {
    margin-top: 0.6rem;
  }
  @media (max-width: 40rem) {
    .groups {
      grid-template-columns: minmax(0, 1fr);
    }
    .plot .wide {
      display: none;
    }
    .plot .narrow {
      display: block;
    }
    .plot {
      padding-inline: 0.75rem;
    }
    .facts time {
      white-space: normal;
    }
    .facts > div:has(> dd > .zero:only-child) {
      display: none;
    }
    .facts {
      grid-template-columns: 1fr 1fr;
      padding: 0.85rem 0.9rem;
      gap: 0.75rem 0.9rem;
    }
    input,
    select,
    button {
      min-height: 2.75rem;
    }
    button.small {
      min-height: 2.5rem;
    }
    .filter > div {
      flex: 1 1 8rem;
    }
    .filter select,
    .filter input {
      width: 100%;
    }
  }
`
