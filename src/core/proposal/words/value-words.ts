// Words that stand as values: yes and no, man and woman, and what exporters write for a blank.

/** Folded, in eight languages. */
export const YES_NO: ReadonlySet<string> = new Set(
  `yes no y n true false on off 1 0 x ja nein j oui non o si s tak nie t sim nao vrai faux wahr falsch vero falso ano opted in
   subscribed unsubscribed`.split(/\s+/),
)

/** Folded words for the gender. Those that are written alike in two languages for two things are left out. */
export const GENDERS: ReadonlyMap<string, 'm' | 'f'> = new Map([
  ...words(
    'm',
    'm male man mannlich homme masculin hombre masculino varon maschile maschio uomo mannelijk mezczyzna mann herr',
  ),
  ...words(
    'f',
    'f w female woman weiblich femme feminin mujer femenino femminile femmina donna vrouwelijk vrouw kobieta frau feminino mulher',
  ),
])

function words(gender: 'm' | 'f', text: string): (readonly [string, 'm' | 'f'])[] {
  return text.split(' ').map((word) => [word, gender] as const)
}

/** What exporters write where there is nothing; exactly so. */
export const BLANK_MARKS: ReadonlySet<string> = new Set([
  'N/A',
  'n/a',
  '#N/A',
  'NULL',
  '(null)',
  '[null]',
  '-',
  '--',
  '—',
  '0.0.00',
  '0/0/00',
  '00.00.0000',
  '0000-00-00',
  'Keine Angabe',
  'k.A.',
  'k. A.',
  'Unspecified',
  '指定なし',
])
