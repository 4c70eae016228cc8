// The style sheet, last part, so that nothing after it undoes it: on paper there is nothing to click, and the account
// and the time zone are still said.

const css = String.raw

export const PRINT_STYLE = css`
  @media print {
    .skip,
    .search,
    .leave,
    .places,
    .account label,
    .account select,
    .account button,
    .pager,
    .filter,
    form.ask {
      display: none;
    }
    tbody tr,
    .life > li {
      break-inside: avoid;
    }
  }
`
