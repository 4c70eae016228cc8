// Words in full names that are no name: salutations, titles, what stands behind a name, particles, and what is no person.
// They are written folded: lower case, without accents, dots and apostrophes.

const PLAIN: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}

/** The form in which words of names are compared. */
export const foldedWord = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[łøđðıßæœþ]/gu, (letter) => PLAIN[letter] ?? letter)
    .replace(/[.,'’‘ʼ`´]/gu, '')

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** What a word in front of a name says of the fields `title` and `title2`; `unclear`: a salutation, but which one is open. */
export type TitleMeaning = 'm' | 'f' | 'unclear' | 'dr' | 'prof' | 'other'

const MEANINGS: ReadonlyMap<string, TitleMeaning> = new Map(
  (
    [
      [
        'm',
        'herr herrn hr hrn mr mister monsieur sr senor senhor sig signor signore dhr heer meneer pan bay herre',
      ],
      [
        'f',
        `frau mrs ms miss madame mme mademoiselle mlle sra senora senhora srta senorita signora sigra mevr mevrouw mw
        mejuffrouw pani fru froken bayan dona`,
      ],
      // Frau or Father.
      ['unclear', 'fr'],
      ['dr', 'dr doktor doctor dra docteur'],
      ['prof', 'prof pr professor professorin professeur profa profssa profesor profesora professora'],
      [
        'other',
        `med phil rer nat jur iur oec pol techn mult habil hc dent vet theol ing dipl dipl-ing dipl-kfm dipl-kffr dipl-inf
        dipl-phys dipl-psych dipl-oec mag magister lic drs ir dott dottssa dottore dottoressa avv arch rag geom mgr inz hab
        eng sir lord rev reverend hon capt col gen lt sgt maitre ra adw mudr judr phdr rndr lek docent`,
      ],
    ] as const
  ).flatMap(([meaning, text]) => [...wordSet(text)].map((word) => [word, meaning] as const)),
)

/** Names or parts of names as well: titles only with a dot, or behind another title. */
const WITH_DOT =
  wordSet(`med phil rer nat jur iur oec pol techn mult dent vet theol ir arch geom rag hab eng rev hon capt col
  gen lt sgt sig ra avv lek`)
/** Names as well: titles only with a dot, or before a first and a family name. */
const BEFORE_TWO = wordSet('pan pani bay bayan dona sir lord mag ing dipl lic pr docent')

/** `Dr.-Ing.`, `Dr.med.` and `Univ.-Prof.Dr.` are several titles in one word. */
function meaningsIn(word: string): readonly TitleMeaning[] | undefined {
  // A lawyer's degree in Dutch is written like the English Mister, with a small letter.
  if (word === 'mr.') return ['unclear']
  const whole = MEANINGS.get(foldedWord(word))
  if (whole !== undefined) return [whole]
  const pieces = word.split(/[.-]+/).filter((piece) => piece !== '')
  if (!word.includes('.') || pieces.length < 2) return undefined
  const meanings = pieces.map((piece) =>
    /^([hce]|univ)$/i.test(piece) ? 'other' : MEANINGS.get(foldedWord(piece)),
  )
  const known = meanings.filter((meaning) => meaning !== undefined)
  return known.length === pieces.length && pieces.some((piece) => piece.length > 1) ? known : undefined
}

/** What a word says as a title in its place; undefined where it is none. */
export function titleAt(words: readonly string[], at: number): readonly TitleMeaning[] | undefined {
  const word = words[at] ?? ''
  // Of `Dr. h. c.`
  const before = words[at - 1] ?? ''
  if (/^([hce]\.){1,2}$/i.test(word) && (/^[he]\.$/i.test(before) || meaningsIn(before) !== undefined))
    return ['other']
  const meanings = meaningsIn(word)
  if (meanings === undefined || word.endsWith('.')) return meanings
  const folded = foldedWord(word)
  if (WITH_DOT.has(folded) && (at === 0 || word !== word.toLowerCase())) return undefined
  return BEFORE_TWO.has(folded) && words.length - at < 3 ? undefined : meanings
}

/** `Dr.Anna` and `Prof.Dr.Anna` as titles and the name behind them. */
export function apartFromTitles(word: string): readonly string[] {
  const [, titles = '', name = ''] = /^(.+\.)(\p{L}['’‘ʼ`´]?\p{L}[^.]*)$/u.exec(word) ?? []
  return name === '' || meaningsIn(word) !== undefined || meaningsIn(titles) === undefined
    ? [word]
    : [titles, name]
}

const isTitle = (word: string, meaning: TitleMeaning): boolean =>
  meaning === 'dr' || meaning === 'prof' || word.endsWith('.')

/** A title, or a word with one in it, that is found where a name is expected. */
export const isTitleOutOfPlace = (word: string): boolean =>
  meaningsIn(word)?.some((meaning) => isTitle(word, meaning)) === true ||
  word.split(/(?<=\.)|-/).some((piece) => {
    const meaning = MEANINGS.get(foldedWord(piece))
    return meaning !== undefined && isTitle(piece, meaning)
  })

const GENERATIONS = wordSet('jr sr jun sen junior senior ii iii iv')
/** Degrees, orders and offices behind a name. */
const DEGREES =
  wordSet(`esq phd dphil md mba msc bsc ba ma llm llb cpa mph dds rn mep mdb mdl mag dipl-ing obe cbe mbe frs pmp
  edd jd bed beng meng dvm emba ceng med mphil bba bcom bcomm bakk cfa fca frcs frcp mbbs psyd pharmd mres osb ofm sj`)

/** Behind a comma every one of them is meant. */
export const isSuffix = (word: string): boolean => {
  const folded = foldedWord(word)
  return GENERATIONS.has(folded) || DEGREES.has(folded)
}

/** MBA, BSc, B.A.; not Ma. */
const isWrittenAsDegree = (word: string): boolean =>
  word.includes('.') || (word.match(/\p{Lu}/gu)?.length ?? 0) > 1

/** Without a comma a degree counts with two capital letters alone: Jack Ma has none. */
export function isSuffixWithoutComma(word: string, wordsBefore: number): boolean {
  const folded = foldedWord(word)
  if (GENERATIONS.has(folded) || folded === 'phd' || folded === 'esq') return true
  return DEGREES.has(folded) && wordsBefore > 1 && isWrittenAsDegree(word)
}

/** Degrees whose holder is addressed as a doctor. */
export const isDoctoral = (word: string): boolean => ['phd', 'dphil'].includes(foldedWord(word))

const NOBLE = wordSet(
  `freiherr freifrau freiin graf grafin baron baronin furst furstin prinz prinzessin ritter edler edle`,
)
const GERMANIC = wordSet('von vom zu zum zur van der den het ter ten te op aan auf af av vander vanden')
const ROMANCE = wordSet(
  'de du des del della dello dei degli delle dal dalla di da do dos das la le lo las los',
)
const OTHER = wordSet('al el bin ibn bint abu abou mc mac ni nic st saint san santa')

export type Particle = 'romance' | 'other'

const WITH_APOSTROPHE = /^(?:d|t|s|l|o|dell|dall|nell)['’‘ʼ`´]/i
const ARABIC_ARTICLE = /^(?:al|el|ash|as|an|ar|at|ad)-\p{L}/iu
/** Maria Jansen-van den Berg. */
const HYPHENED = /-(?:van|von|de|den|der|ter|ten|du|da|del|di|la|zu)$/i

/** What a family name begins with; undefined where the word is no particle. `isLast`: no word follows. */
export function particleOf(word: string, isLast: boolean): Particle | undefined {
  const folded = foldedWord(word)
  if (ROMANCE.has(folded)) return 'romance'
  if (word === 'in' || /^v\.(?:d\.)?$/.test(word) || GERMANIC.has(folded) || OTHER.has(folded)) return 'other'
  if (!isLast && (NOBLE.has(folded) || /^[OÓ]['’‘ʼ`´]?$/.test(word) || HYPHENED.test(word))) return 'other'
  if (WITH_APOSTROPHE.test(word)) return 'romance'
  return ARABIC_ARTICLE.test(word) ? 'other' : undefined
}

/** Whether the word holds a name behind its particle, and may stand last. */
export const isWholeWithParticle = (word: string): boolean =>
  ARABIC_ARTICLE.test(word) || /^\p{L}+['’‘ʼ`´]\p{L}/u.test(word)

/** Titles of nobility, which are written with a capital letter and belong to the family name. */
export const isNoble = (word: string): boolean => NOBLE.has(foldedWord(word))

/** Between two family names: Ortega y Gasset, Costa e Silva. */
export const isJoiner = (word: string): boolean => word === 'y' || word === 'e'

const CONJUNCTIONS = wordSet('und and et en og och ve es oder or')

/** Several persons, unless it is the one in `von und zu`. */
export const isConjunctionAt = (words: readonly string[], at: number): boolean => {
  const word = words[at] ?? ''
  if (word === 'i' || word === 'u') return true
  if (!CONJUNCTIONS.has(word.toLowerCase())) return false
  return !(words[at - 1]?.toLowerCase() === 'von' && words[at + 1]?.toLowerCase() === 'zu')
}

/** Portuguese names of generations, which belong to the family name: Silva Filho. */
export const isAgnomen = (word: string): boolean => ['filho', 'neto', 'sobrinho'].includes(foldedWord(word))

/** Begins a given name of two words: Abdul Rahman, Abd al-Aziz. */
export const isJoinedGiven = (word: string): boolean =>
  ['abd', 'abdul', 'abdel', 'abdoul'].includes(foldedWord(word))

const DEVOTED = wordSet('maria ma mª juan jose ana')
const DEVOTIONS =
  wordSet(`carmen pilar mar rosario jesus dios angeles luz dolores mercedes rocio lourdes fatima valle consuelo
  socorro soledad nieves remedios prado sagrario montserrat amparo concepcion paz guadalupe conceicao`)

/** `María del Carmen`, `Juan de Dios`: given names with a particle in them. */
export const isDevotion = (before: string, after: string): boolean =>
  DEVOTED.has(foldedWord(before)) && DEVOTIONS.has(foldedWord(after))

/** `María de la Cruz`: a given name or a family name. */
export const isMaybeDevotion = (before: string, after: string): boolean =>
  DEVOTED.has(foldedWord(before)) && foldedWord(after) === 'cruz'

/** In front of a name: an honorific, or a name or an initial. */
export const isMaybeHonorific = (words: readonly string[]): boolean =>
  words[0] === 'M.' || (words.length > 2 && /^(?:don|dom)$/i.test(words[0] ?? ''))

const NOT_A_PERSON =
  wordSet(`gmbh mbh ag kg ohg ug gbr ltd limited inc llc llp plc corp corporation sarl sas srl spa bv nv
  vof aps kft zrt ltda sl company firma familie fam family famille familia famiglia rodzina verein stiftung hotel restaurant
  praxis kanzlei team info office kontakt zhd attn eheleute ehepaar gemeinde schule university kundenservice service test
  unbekannt unknown anonym`)

/** `Meier geb. Schmidt` */
export const isOfBirthName = (word: string): boolean => ['geb', 'geborene', 'nee'].includes(foldedWord(word))

/** Forms of companies that are names or initials when they are written otherwise: Ev, E.V. */
const COMPANY_FORMS: ReadonlySet<string> = new Set([
  'e.V.',
  'eV',
  'eG',
  'e.G.',
  'S.A.',
  'S.L.',
  'B.V.',
  'N.V.',
])

/** A word of a company, a family or a department. */
export const isOfNoPerson = (word: string): boolean =>
  COMPANY_FORMS.has(word) || (!/^(?:\p{Lu}\.){2,}$/u.test(word) && NOT_A_PERSON.has(foldedWord(word)))

/** `J.`, `J.R.R.`, `J.-P.`, `Chr.` */
export const isInitial = (word: string): boolean =>
  !/^[OÓ]$/.test(word) &&
  foldedWord(word) !== 'st' &&
  /^(?:\p{L}\.?|(?:\p{Lu}\.-?){2,}|\p{Lu}\p{Ll}{1,2}\.)$/u.test(word)
