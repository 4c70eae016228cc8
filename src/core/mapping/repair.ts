// Repairs of values that an exporter has damaged, each only where it was asked for (`repair`), and only what has one
// meaning: everything else stays unchanged, and is named in a warning (odd-values.ts).

export const REPAIRS = ['spreadsheet', 'html', 'c1'] as const

export type Repair = (typeof REPAIRS)[number]

const WINDOWS_1252 = new TextDecoder('windows-1252')

/** What the byte of a C1 control is in Windows-1252; five of them are nothing there, and stay. */
const withoutControls = (value: string): string =>
  value.replace(/[\u0080-\u009f]/g, (control) => WINDOWS_1252.decode(Uint8Array.of(control.charCodeAt(0))))

/** Names of the characters from U+00A0 to U+00FF, in order. */
const LATIN = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr
deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`
  .split(/\s/)
  .map((name, index): [string, string] => [name, String.fromCharCode(0xa0 + index)])

/** Each character with its name behind it. */
const OTHERS =
  `&amp <lt >gt "quot 'apos \u20aceuro \u2013ndash \u2014mdash \u2018lsquo \u2019rsquo \u201asbquo
\u201cldquo \u201drdquo \u201ebdquo \u2026hellip \u2022bull \u2122trade \u2039lsaquo \u203arsaquo ŒOElig œoelig ŸYuml
ŠScaron šscaron ŽZcaron žzcaron ČCcaron čccaron ĚEcaron ěecaron ŘRcaron řrcaron ŇNcaron ňncaron ĎDcaron ďdcaron
ŤTcaron ťtcaron ŮUring ůuring ŁLstrok łlstrok ĘEogon ęeogon ĄAogon ąaogon ŚSacute śsacute ŹZacute źzacute ŻZdot
żzdot ĆCacute ćcacute ŃNacute ńnacute ŐOdblac őodblac ŰUdblac űudblac ĂAbreve ăabreve ŞScedil şscedil
ŢTcedil ţtcedil ĞGbreve ğgbreve İIdot ıimath ĐDstrok đdstrok`
    .split(/\s/)
    .map((pair): [string, string] => [pair.slice(1), pair.charAt(0)])

const NAMED: ReadonlyMap<string, string> = new Map([...LATIN, ...OTHERS])

/** Undefined for what is no character of a text. */
function numbered(code: number): string | undefined {
  // As browsers read them: these numbers were meant as bytes of Windows-1252.
  if (code >= 0x80 && code <= 0x9f) return withoutControls(String.fromCharCode(code))
  const isText = code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isText || code === 0x09 || code === 0x0a || code === 0x0d ? String.fromCodePoint(code) : undefined
}

/** Once: `&amp;uuml;` becomes `&uuml;`, which may have been meant. */
const withoutEntities = (value: string): string =>
  value.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]\w{1,7}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return NAMED.get(String(name)) ?? entity
    return numbered(decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)) ?? entity
  })

/** `="01067"` and `'0171` are text to a spreadsheet; `'t Hooft` is a name. */
const withoutMarks = (value: string): string =>
  value
    .replace(/^\s*'(?=[+\-=@\d])/, '')
    .replace(/^\s*="((?:[^"]|"")*)"\s*$/, (_, text: string) => text.replaceAll('""', '"'))

/** In the order in which they are done: a mark may be written as an entity, and an entity with a control. */
const DONE: readonly (readonly [Repair, (value: string) => string])[] = [
  ['c1', withoutControls],
  ['html', withoutEntities],
  ['spreadsheet', withoutMarks],
]

/** Nearly every value holds none of these. */
const MAY_NEED = /[\u0080-\u009f&]|^\s*['=]/

export interface RepairedValue {
  readonly value: string
  /** Which repairs changed it. */
  readonly by: readonly Repair[]
}

const asGiven = (value: string): RepairedValue => ({ value, by: [] })

/** The repairs of a pipeline, for one value. */
export function compileRepairs(repairs: readonly Repair[] = []): (value: string) => RepairedValue {
  const steps = DONE.filter(([name]) => repairs.includes(name))
  if (steps.length === 0) return asGiven
  return (given) => {
    if (!MAY_NEED.test(given)) return asGiven(given)
    let value = given
    const by: Repair[] = []
    for (const [name, repair] of steps) {
      const after = repair(value)
      if (after !== value) by.push(name)
      value = after
    }
    return { value, by }
  }
}
