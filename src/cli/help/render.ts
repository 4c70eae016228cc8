// A page of help as text for a terminal, and in the language of man pages.
import { wrap } from '../terminal.ts'
import type { HelpPage, Section } from './page.ts'

const INDENT = 2
/** A shorter term has its text beside it. */
const TERM = 24
const WIDEST = 100

type Block = Section['blocks'][number]

const wrapped = (text: string, columns: number, indent: number): string =>
  wrap(text, columns, indent).join('\n')

function item(term: string, text: string, columns: number): string {
  const beside = INDENT + TERM
  if (columns < 60 || term.length > TERM - 2) {
    const words = wrapped(`${' '.repeat(INDENT * 3)}${text}`, columns, INDENT * 3)
    return `${wrapped(`${' '.repeat(INDENT)}${term}`, columns, INDENT * 2)}\n${words}`
  }
  const words = wrapped(`${' '.repeat(beside)}${text}`, columns, beside)
  return `${' '.repeat(INDENT)}${term}${words.slice(INDENT + term.length)}`
}

function block(one: Block, columns: number): string {
  switch (one.kind) {
    case 'item':
      return item(one.term, one.text, columns)
    case 'text':
      return wrapped(`${' '.repeat(INDENT)}${one.text}`, columns, INDENT)
    case 'code':
      return one.text.replaceAll(/^(?=.)/gm, ' '.repeat(INDENT))
  }
}

/** `heading` colours a heading. */
export function pageText(page: HelpPage, columns: number, heading: (text: string) => string): string {
  const width = Number.isFinite(columns) ? Math.min(columns, WIDEST) : 80
  const sections = page.sections.map((section) =>
    [heading(section.heading), ...section.blocks.map((one) => block(one, width))].join('\n'),
  )
  return `${sections.join('\n\n')}\n`
}

/** A line that begins with a dot or a quote would be a request, a backslash an escape, and `-` a hyphen that cannot be copied. */
const roffText = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&')
    .replaceAll(
      /[^\x20-\x7e\n]/gu,
      (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )

function roffBlock(one: Block): string {
  switch (one.kind) {
    case 'item':
      return `.TP\n.B ${roffText(one.term).replaceAll('"', '""')}\n${roffText(one.text)}`
    case 'text':
      return `.PP\n${roffText(one.text)}`
    case 'code':
      return `.PP\n.nf\n${roffText(one.text)}\n.fi`
  }
}

/** For `man -l`, in section 1. */
export function pageRoff(page: HelpPage, version: string): string {
  const title = page.name.replaceAll(' ', '-')
  const sections = page.sections.map(({ heading, blocks }) =>
    [`.SH "${heading}"`, ...blocks.map(roffBlock)].join('\n'),
  )
  return [`.TH "${roffText(title).toUpperCase()}" "1" "" "contact\\-sync ${version}"`, ...sections, ''].join(
    '\n',
  )
}
