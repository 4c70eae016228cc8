// Style and script of a plan's page, which stand within it: the page is one file.

/** Colours have a contrast of 4.5:1 or more on their ground, light and dark. */
export const PLAN_STYLE = `
:root { color-scheme: light dark; --ground: #f6f7f6; --sheet: #ffffff; --ink: #1b2421; --quiet: #56635e; --line: #dbe1de;
  --from: #a3262b; --to: #17614f; --changed: #2b5797 }
@media (prefers-color-scheme: dark) { :root { --ground: #121715; --sheet: #1a211e; --ink: #e4ebe8; --quiet: #9fb0a9;
  --line: #2d3834; --from: #f59a97; --to: #7dd3b4; --changed: #9cc0f2 } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1rem }
ul { padding-left: 1.2rem } .reach { font-weight: 600 }
label { display: block; position: sticky; top: 0; padding: .5rem 0; background: var(--ground) }
input { font: inherit; width: min(24rem, 70%); padding: .3rem .5rem; color: inherit; background: var(--sheet); border: 1px solid var(--quiet) }
article, .example { background: var(--sheet); border-left: .3rem solid var(--changed); margin: .5rem 0; padding: .4rem .8rem; overflow-wrap: anywhere }
article { content-visibility: auto; contain-intrinsic-size: auto 4.5rem }
.example { margin-left: 1.2rem } .create { border-color: var(--to) } .delete { border-color: var(--from) }
.offline { color: var(--quiet) } .searching .overview { display: none }
h3 { font-size: 1.1rem } h4 { font-size: 1rem; margin: 0 } small, i { color: var(--quiet); font-weight: 400 } h4 small { margin-left: .6rem }
dl { margin: 0 } dl div { display: flex; flex-wrap: wrap; gap: 0 .8rem } dt { color: var(--quiet); min-width: 9rem } dd { margin: 0 }
del { color: var(--from) } ins { color: var(--to); text-decoration: none }
`

/** Hides the changes that do not hold what is searched for; the overview gives way to those that do. */
export const PLAN_SCRIPT = `
const changes = [...document.querySelectorAll('article')].map((element) => ({ element, text: element.textContent.toLowerCase() }))
const [input, output] = [document.querySelector('input'), document.querySelector('output')]
input.addEventListener('input', () => {
  const sought = input.value.trim().toLowerCase()
  let shown = 0
  for (const { element, text } of changes) {
    element.hidden = !text.includes(sought)
    if (!element.hidden) shown += 1
  }
  document.body.classList.toggle('searching', sought !== '')
  output.textContent =
    sought === '' ? '' : shown.toLocaleString('en-US') + ' of ' + changes.length.toLocaleString('en-US') + ' changes on this page'
})
`
