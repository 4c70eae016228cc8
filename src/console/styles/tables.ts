// The style sheet, third part: tables, which become cards on a phone, and changes from and to.

const css = String.raw

export const TABLE_STYLE = css`
  table {
    width: 100%;
    border-collapse: separate;
    border-spacing: 0;
    background: var(--sheet);
    border: 1px solid var(--line);
    border-radius: 0.6rem;
    font-size: 0.95rem;
  }
  th,
  td {
    padding: 0.5rem 0.8rem;
    text-align: start;
    vertical-align: top;
    border-bottom: 1px solid var(--line);
  }
  tbody tr:last-child > * {
    border-bottom: 0;
  }
  thead th {
    color: var(--quiet);
    font-size: 0.85rem;
    font-weight: 550;
    white-space: nowrap;
    border-bottom-color: var(--line-strong);
  }
  tbody th {
    font-weight: 550;
  }
  td button.small {
    white-space: nowrap;
  }
  td ol {
    margin: 0;
    padding-inline-start: 1.3rem;
  }
  td.short {
    min-width: 5.5rem;
  }
  td.short .said {
    overflow-wrap: break-word;
  }
  tbody tr:hover > * {
    background: color-mix(in srgb, var(--accent-ground) 45%, transparent);
  }
  th.number,
  td.number {
    text-align: end;
    padding-inline: 0.5rem;
  }
  tbody th > div,
  td.name > div {
    overflow-wrap: anywhere;
    min-width: 7rem;
  }
  .reason {
    overflow-wrap: anywhere;
    min-width: 14rem;
  }
  .from {
    color: var(--from);
  }
  .to {
    color: var(--to);
    text-decoration: none;
  }
  table + p,
  .life + p {
    margin-top: 0.75rem;
  }
  .changes {
    margin: 0;
    display: grid;
    grid-template-columns: 8.5rem 1fr;
    gap: 0.15rem 0.9rem;
  }
  .changes dt {
    color: var(--quiet);
  }
  .changes dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .life {
    list-style: none;
    margin: 0;
    padding: 0 0 0 1.15rem;
    border-inline-start: 2px solid var(--line);
  }
  .life > li {
    position: relative;
    margin-bottom: 0.9rem;
    padding: 0.75rem 1rem;
    background: var(--sheet);
    border: 1px solid var(--line);
    border-radius: 0.6rem;
  }
  .life > li::before {
    content: '';
    position: absolute;
    inset-inline-start: calc(-1.15rem - 6px);
    top: 1.1rem;
    width: 10px;
    height: 10px;
    border-radius: 50%;
    background: var(--accent);
    border: 2px solid var(--ground);
    box-sizing: content-box;
    margin-inline-start: -2px;
  }
  .life .what {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.75rem;
    align-items: baseline;
    margin: 0 0 0.4rem;
    max-width: none;
  }
  .life .proof {
    margin: 0.5rem 0 0;
    color: var(--quiet);
    font-size: 0.87rem;
    overflow-wrap: anywhere;
    max-width: none;
  }
  @media (max-width: 64rem) {
    thead th {
      white-space: normal;
    }
  }
  @media (max-width: 52rem) {
    table,
    tbody,
    tbody tr,
    tbody th,
    tbody td {
      display: block;
    }
    thead {
      position: absolute;
      clip-path: inset(50%);
      width: 1px;
      height: 1px;
      overflow: hidden;
    }
    table {
      background: none;
      border: 0;
    }
    tbody tr {
      margin-bottom: 0.75rem;
      padding: 0.35rem 0;
      background: var(--sheet);
      border: 1px solid var(--line);
      border-radius: 0.6rem;
    }
    tbody th,
    tbody td,
    td.number {
      display: grid;
      grid-template-columns: 7.5rem minmax(0, 1fr);
      gap: 0.75rem;
      padding: 0.28rem 0.9rem;
      border: 0;
      text-align: start;
      overflow-wrap: anywhere;
    }
    tbody tr:hover > * {
      background: none;
    }
    tbody th::before,
    tbody td::before {
      content: attr(data-title);
      color: var(--quiet);
      font-weight: 400;
      font-size: 0.87rem;
    }
    tbody td:has(> div > .zero:only-child) {
      display: none;
    }
    tbody th > div,
    td.name > div,
    .reason {
      min-width: 0;
    }
    .changes {
      grid-template-columns: 1fr;
    }
    .changes dd {
      margin-bottom: 0.35rem;
    }
    .life {
      padding-inline-start: 0.9rem;
    }
    .life > li::before {
      inset-inline-start: calc(-0.9rem - 6px);
    }
  }
`
