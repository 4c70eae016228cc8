// What a workbook says about itself: its sheets in their order, where its parts are, and since when its days are counted.
import { readXml } from './xml.ts'
import { broken, type Workbook } from './zip.ts'

export interface SheetEntry {
  readonly name: string
  readonly isHidden: boolean
  readonly part: string
}

export interface Contents {
  readonly sheets: readonly SheetEntry[]
  /** Days are counted from 1904 on. */
  readonly is1904: boolean
  readonly sharedStrings: string | undefined
  readonly styles: string | undefined
}

interface Relation {
  readonly type: string
  readonly target: string
}

const MOST_SHEETS = 10_000

/** A target as a part's name: relative to the folder of the part that names it, or from the root. */
function resolved(folder: string, target: string): string {
  const steps: string[] = []
  const path = target.startsWith('/') ? target : `${folder}/${target}`
  for (const step of path.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

async function relationsOf(book: Workbook, part: string): Promise<Map<string, Relation>> {
  const at = part.lastIndexOf('/')
  const folder = at < 0 ? '' : part.slice(0, at)
  const rels = resolved(folder, `_rels/${part.slice(at + 1)}.rels`)
  const found = new Map<string, Relation>()
  if (!book.has(rels)) return found
  await readXml(book, rels, {
    open(name, { Id: id, Type: type = '', Target: target = '', TargetMode: mode }) {
      if (name !== 'Relationship' || id === undefined || mode === 'External') return
      found.set(id, { type: type.slice(type.lastIndexOf('/') + 1), target: resolved(folder, target) })
    },
  })
  return found
}

const partOf = (relations: Map<string, Relation>, type: string): string | undefined =>
  [...relations.values()].find((one) => one.type === type)?.target

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true' || value === 'on'

/** Throws INPUT_EXCEL for an archive that is no workbook. */
export async function contentsOf(book: Workbook): Promise<Contents> {
  const main = partOf(await relationsOf(book, ''), 'officeDocument')
  if (main === undefined) throw broken(book.name, 'it names no workbook in it')
  const relations = await relationsOf(book, main)
  const sheets: SheetEntry[] = []
  let is1904 = false
  await readXml(book, main, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = isTrue(attributes['date1904'])
      if (name !== 'sheet') return
      const id = Object.keys(attributes).find((key) => key.endsWith(':id'))
      const relation = id === undefined ? undefined : relations.get(attributes[id] ?? '')
      // Charts and dialogs are sheets, too, and have no rows.
      if (relation?.type !== 'worksheet') return
      if (sheets.length >= MOST_SHEETS) throw broken(book.name, `it has more than ${MOST_SHEETS} sheets`)
      const state = attributes['state'] ?? 'visible'
      sheets.push({
        name: attributes['name'] ?? '',
        isHidden: state !== 'visible',
        part: relation.target,
      })
    },
  })
  return {
    sheets,
    is1904,
    sharedStrings: partOf(relations, 'sharedStrings'),
    styles: partOf(relations, 'styles'),
  }
}
