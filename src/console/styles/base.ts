// The style sheet, first part: colours for light and dark, type, the frame of a page. Text on its ground has a contrast
// of 4.5:1 or more in both.

const css = String.raw

export const BASE_STYLE = css`
  :root {
    color-scheme: light dark;
    --ground: #f6f7f6;
    --sheet: #ffffff;
    --ink: #1b2421;
    --quiet: #56635e;
    --line: #dbe1de;
    --line-strong: #b9c4bf;
    --accent: #17614f;
    --accent-ground: #e6f1ed;
    --good: #17614f;
    --good-ground: #e2f1ea;
    --warn: #7a4d00;
    --warn-ground: #fcf0d8;
    --bad: #a3262b;
    --bad-ground: #fbe7e6;
    --busy: #2b5797;
    --busy-ground: #e6eefa;
    --from: #a3262b;
    --to: #17614f;
    --bar-created: #2f8f75;
    --bar-updated: #5b8fd1;
    --bar-rejected: #d4575b;
    --bar-failed: #8d2f6b;
    --bar-held: #e0a437;
    --bar-doubt: #8a7bc8;
    --bar-sent: #5b8fd1;
    --bar-delay: #8a7bc8;
    --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'Segoe UI Mono', 'Liberation Mono', Menlo, monospace;
    --text: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', sans-serif;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ground: #121715;
      --sheet: #1a211e;
      --ink: #e4ebe8;
      --quiet: #9fb0a9;
      --line: #2d3834;
      --line-strong: #465550;
      --accent: #74cdb3;
      --accent-ground: #1d332c;
      --good: #7dd3b4;
      --good-ground: #18342b;
      --warn: #f0c26b;
      --warn-ground: #392c12;
      --bad: #f59a97;
      --bad-ground: #421e1f;
      --busy: #9cc0f2;
      --busy-ground: #1b2c45;
      --from: #f59a97;
      --to: #7dd3b4;
      --bar-created: #3fa88b;
      --bar-updated: #6d9fdd;
      --bar-rejected: #e06f70;
      --bar-failed: #bb5c98;
      --bar-held: #e3b04f;
      --bar-doubt: #a396dd;
      --bar-sent: #6d9fdd;
      --bar-delay: #a396dd;
    }
  }
  * {
    box-sizing: border-box;
  }
  html {
    font: 15px/1.5 var(--text);
    color: var(--ink);
    background: var(--ground);
    -webkit-text-size-adjust: 100%;
  }
  body {
    margin: 0;
    min-height: 100vh;
    display: flex;
    flex-direction: column;
  }
  header {
    background: var(--sheet);
    border-bottom: 1px solid var(--line);
    padding: 0.75rem max(1.25rem, calc((100% - 78rem) / 2)) 0;
    display: grid;
    grid-template-columns: auto minmax(10rem, 24rem) auto;
    justify-content: space-between;
    align-items: center;
    gap: 0.5rem 1rem;
  }
  .account {
    grid-column: 1 / -1;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.75rem;
    padding-bottom: 0.5rem;
  }
  .brand {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    font-weight: 650;
    color: var(--ink);
    text-decoration: none;
    letter-spacing: -0.01em;
  }
  .places {
    grid-column: 1 / -1;
  }
  .places ul {
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.25rem;
    margin: 0 -0.6rem;
    padding: 0;
    list-style: none;
  }
  .places a {
    display: block;
    padding: 0.45rem 0.6rem;
    color: var(--quiet);
    text-decoration: none;
    border-bottom: 2px solid transparent;
  }
  .places a:hover {
    color: var(--ink);
    border-color: var(--line-strong);
  }
  .places a[aria-current] {
    color: var(--accent);
    border-color: var(--accent);
    font-weight: 600;
  }
  /* Colours of the user's own make a transparent border visible: every place would look like this one. */
  @media (forced-colors: active) {
    .places a:not([aria-current]) {
      border-color: Canvas;
    }
  }
  main {
    width: 100%;
    max-width: 80.5rem;
    margin: 0 auto;
    padding: 1.5rem 1.25rem 3rem;
    flex: 1;
  }
  main:focus {
    outline: none;
  }
  footer {
    padding: 1rem 1.25rem 1.5rem;
    color: var(--quiet);
    font-size: 0.87rem;
    text-align: center;
  }
  h1 {
    margin: 0 0 1.25rem;
    font-size: 1.55rem;
    line-height: 1.25;
    font-weight: 650;
    letter-spacing: -0.015em;
    overflow-wrap: anywhere;
  }
  h2 {
    margin: 2.25rem 0 0.75rem;
    font-size: 1.1rem;
    font-weight: 650;
    overflow-wrap: anywhere;
  }
  h3 {
    margin: 1.25rem 0 0.5rem;
    font-size: 1rem;
    font-weight: 600;
  }
  p {
    margin: 0 0 0.75rem;
    max-width: 48rem;
  }
  a {
    color: var(--accent);
    text-underline-offset: 0.18em;
    text-decoration-thickness: 1px;
  }
  a:hover {
    text-decoration-thickness: 2px;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
    border-radius: 3px;
  }
  .skip {
    position: absolute;
    left: -100vw;
    padding: 0.5rem 1rem;
    background: var(--sheet);
    z-index: 1;
  }
  .skip:focus {
    left: 0.5rem;
    top: 0.5rem;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .bare main {
    max-width: 26rem;
    margin-top: 12vh;
  }
  @media (max-width: 40rem) {
    header {
      grid-template-columns: 1fr auto;
      padding-inline: 1rem;
    }
    .search {
      grid-row: 2;
      grid-column: 1 / -1;
    }
    main {
      padding: 1.1rem 1rem 2.5rem;
    }
    h1 {
      font-size: 1.35rem;
    }
    .places a {
      padding: 0.4rem 0.55rem;
    }
  }
`
