// Strangers for the duplicate check, as many as wanted and the same ones each time: names as uneven as in a telephone
// book, a few large cities, households that share address, family name and line, fields left empty.

/** Numbers between 0 and 1 that are the same in each run (a linear congruential generator). */
function createChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const STARTS = 'b br d f g h j k kl l m n p r s sch st t v w'.split(' ')
const VOWELS = 'a e i o u au ei ie'.split(' ')
const ENDS = 'n r l m nn ller s t ck mann bach'.split(' ')

/** Names that differ, made of syllables. */
function makeNames(count: number, chance: () => number): string[] {
  const names = new Set<string>()
  const one = (list: readonly string[]): string => list[Math.floor(chance() * list.length)] ?? ''
  while (names.size < count) {
    const name = `${one(STARTS)}${one(VOWELS)}${chance() < 0.6 ? `${one(STARTS)}${one(VOWELS)}` : ''}${one(ENDS)}`
    names.add(name.charAt(0).toUpperCase() + name.slice(1))
  }
  return [...names]
}

/** The first of a list are had by many, the last by few. */
const uneven = (list: readonly string[], chance: () => number): string =>
  list[Math.floor(list.length * chance() ** 2)] ?? ''

/** How many names there are of each kind; the fewer, the more strangers have them in common. */
export interface Variety {
  readonly first: number
  readonly family: number
  readonly cities: number
  readonly streets: number
}

export function* strangers(count: number, variety: Variety): Generator<Record<string, string>> {
  const chance = createChance(7)
  const [first, family] = [makeNames(variety.first, chance), makeNames(variety.family, chance)]
  const [cities, streets] = [makeNames(variety.cities, chance), makeNames(variety.streets, chance)]
  const providers = [
    'mail.example',
    'post.example',
    'web.example',
    ...cities.map((city) => `${city}.example`),
  ]
  const digits = (length: number): string => String(Math.floor(chance() * 10 ** length)).padStart(length, '0')
  const two = (most: number): string => String(1 + Math.floor(chance() * most)).padStart(2, '0')
  let home: Record<string, string> = {}
  for (let index = 0; index < count; index += 1) {
    if (index === 0 || chance() < 0.7) {
      const city = uneven(cities, chance)
      home = {
        family_name: uneven(family, chance),
        ba_street: `${uneven(streets, chance)}straße ${1 + Math.floor(chance() * 90)}`,
        ba_city: city,
        ba_postal_code: String(10_000 + cities.indexOf(city) * 40 + Math.floor(chance() * 40)),
        phone: chance() < 0.6 ? `+49 ${digits(9)}` : '',
      }
    }
    const name = uneven(first, chance)
    yield {
      ...home,
      first_name: name,
      mail: `${name}.${home['family_name'] ?? ''}${index}@${uneven(providers, chance)}`.toLowerCase(),
      date_of_birth:
        chance() < 0.6 ? `${1935 + Math.floor(chance() * 75)}-${two(12)}-${two(28)}T12:00:00+00:00` : '',
    }
  }
}
