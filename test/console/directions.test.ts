// Texts that are written from right to left turn what stands beside them on a page, unless they are set apart: a name, a
// term, a title of a column or a reason must not make a number or a file seem to be another one.
import { describe, expect, it } from 'vitest'
import { html, said } from '../../src/console/html/markup.ts'
import { openState } from '../../src/store/state-store.ts'
import { HEADER, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'
import { openDesk } from './desk.ts'

const RIGHT_TO_LEFT = /[\u0590-\u08ff]/

/** Every value of others is Hebrew: keys, mails, names, terms, files, titles of columns, and reasons that quote them. */
async function hebrewPast(path: string): Promise<void> {
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  const terms = {
    ...testLine().pipeline.terms,
    policy: 'managed' as const,
    assign: [{ name: 'לקוח' }, { column: 'תגים', split: ',' }],
  }
  const guards = { ...GUARDS, max_changes: { count: 3 } }
  const line = testLine({ pipeline: { mode: 'full', on_missing: 'delete', guards, terms }, state })
  const header = [...HEADER, 'תגים', 'הערה']
  const rows = ['א', 'ב', 'ג'].map((key, index) => [
    key,
    `p${index}@example.com`,
    'דנה',
    'כהן',
    '',
    'חבר',
    'הערה',
  ])
  line.source.drop('שני.csv', [header, ...rows])
  await line.run()
  const rejected = ['ד', 'לא דואר', 'רון', 'לוי', '', '', 'טוב']
  line.source.drop('שלישי.csv', [
    header,
    ...rows.slice(1),
    ['א', 'p0@example.com', 'רות', 'כהן', '', '', ''],
    rejected,
  ])
  await line.run()
  line.source.drop('רביעי.csv', [
    header,
    ...['ה', 'ו', 'ז', 'ח'].map((key) => [key, '', 'גל', 'בר', '', '', '']),
  ])
  await line.run()
  line.source.drop('חמישי.csv', [header], { failAfter: 0 })
  await line.run()
  await state.close()
}

/** Texts of the body that stand in no `bdi`; those of `title` cannot. */
function bareTexts(page: string): string[] {
  const bare: string[] = []
  let apart = 0
  for (const [, tag, text = ''] of page.slice(page.indexOf('<body')).matchAll(/<([^>]*)>|([^<]+)/g)) {
    if (tag !== undefined) apart += /^bdi\b/.test(tag) ? 1 : tag === '/bdi' ? -1 : 0
    else if (apart === 0) bare.push(text)
  }
  expect(apart).toBe(0)
  return bare
}

describe('a page', () => {
  it('sets every text apart that is written from right to left, wherever it comes from', async () => {
    const desk = await openDesk(
      (data) => ({
        ...data,
        live: () => ({
          ...data.live(),
          reasons: ['לא מוכן'],
          refusedReload: ['config.yaml:3: "שם" is no field'],
        }),
        configuration: () => [{ path: 'pipelines.shop.map.custom_fields.שם', value: 'עמודה' }],
      }),
      hebrewPast,
    )
    try {
      const found = (await desk.data.views.search('א', 9)).records[0]?.contactId ?? 0
      const pages = [
        '/',
        '/runs',
        '/held',
        '/doubts',
        '/edits',
        '/retries',
        '/rejects',
        '/terms',
        '/log',
        '/configuration',
      ]
      const runs = [1, 2, 3, 4].map((run) => `/runs/shop-run-${run}`)
      let seen = 0
      for (const path of [...pages, ...runs, '/log/1', '/log/5', `/contacts/${found}`]) {
        const { status, body } = await desk.page(path)
        expect([path, status]).toEqual([path, 200])
        seen += [...body.matchAll(/[\u0590-\u05ff]+/g)].length
        expect([path, bareTexts(body).filter((text) => RIGHT_TO_LEFT.test(text))]).toEqual([path, []])
      }
      expect(seen).toBeGreaterThan(60)
    } finally {
      await desk.close()
    }
  })
})

describe('the tag by which pages are written', () => {
  const name = 'כהן'
  const apart = `<bdi class="said">${name}</bdi>`

  it.each([
    ['between tags', html`<b>${name}</b>`, `<b>${apart}</b>`],
    ['in a list', html`<b>${[name, 'x']}</b>`, `<b>${apart}x</b>`],
    ['in an attribute', html`<b title="${name}">x</b>`, `<b title="${name}">x</b>`],
    ['in an attribute by itself', html` title="${name}"`, ` title="${name}"`],
    ['after an attribute', html`<b title="x">${name}</b>`, `<b title="x">${apart}</b>`],
    ['where no element may stand', html`<title>${name} · x</title>`, `<title>${name} · x</title>`],
    [
      'in a choice',
      html`<option value="">${name}</option>
        ${name}`,
      `<option value="">${name}</option>${apart}`,
    ],
    ['set apart already', html`<b>${said(name)}</b>`, `<b>${apart}</b>`],
    ['what turns nothing', html`<b>${'Zoë Łódź → 3 €'}</b>`, '<b>Zoë Łódź → 3 €</b>'],
    ['with what nobody sees', html`<b>${'a\u202eb'}</b>`, '<b><bdi class="said">a\\u{202e}b</bdi></b>'],
    ['with markup', html`<b>${`<i>${name}`}</b>`, `<b><bdi class="said">&lt;i&gt;${name}</bdi></b>`],
    ['an undefined value', html`<b>${undefined}</b>`, '<b></b>'],
  ])('%s', async (_what, written, text) => expect((await written).replaceAll(/\n\s*/g, '')).toBe(text))
})
