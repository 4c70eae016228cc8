// Which 8-bit encoding a file is in: names of many languages, each in the encodings that its people use, in small files and
// larger ones. Whatever is read is right, or the file is refused; a wrong letter is never sent.
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { SyncError } from '../../src/core/words/errors.ts'
import { read } from './read.ts'

const LANGUAGES: Readonly<Record<string, readonly [encodings: readonly string[], names: readonly string[]]>> =
  {
    tr: [
      ['windows-1254', 'iso-8859-9'],
      [
        'Yılmaz',
        'Şahin',
        'Öztürk',
        'Çelik',
        'Erdoğan',
        'Gülşen',
        'Işık',
        'Ayşe',
        'Doğan',
        'İbrahim',
        'Özdemir',
        'Kılıç',
        'Güneş',
        'Tuğçe',
        'Aydın',
        'Yıldız',
        'Çağlar',
        'Süleyman',
        'Uğur',
        'Başak',
      ],
    ],
    hu: [
      ['windows-1250', 'iso-8859-2', 'cp852', 'maccenteuro'],
      [
        'Kovács',
        'Szűcs',
        'Erdős',
        'Gergő',
        'Tóth',
        'Nagy Károly',
        'Hegedűs',
        'Győr',
        'Zoltán',
        'László',
        'Fehér',
        'Ernő',
        'Jenő',
        'Gyöngyös',
        'Kőszeg',
        'István',
        'Rózsa',
        'Szabó',
        'Csaba Fűzfa',
        'Benedek Áron',
      ],
    ],
    cs: [
      ['windows-1250', 'iso-8859-2', 'cp852', 'maccenteuro'],
      [
        'Dvořák',
        'Novák',
        'Svobodová',
        'Černý',
        'Procházka',
        'Kučera',
        'Veselý',
        'Horáková',
        'Němec',
        'Marková',
        'Pokorný',
        'Růžička',
        'Jiří',
        'Tomáš',
        'Žižka',
        'Křížová',
        'Štěpánek',
        'Hájek',
        'Beneš',
        'Šimůnek',
      ],
    ],
    pl: [
      ['windows-1250', 'iso-8859-2', 'cp852', 'maccenteuro'],
      [
        'Wójcik',
        'Kowalczyk',
        'Kamiński',
        'Lewandowski',
        'Zieliński',
        'Dąbrowski',
        'Kozłowski',
        'Wiśniewska',
        'Łukasz',
        'Żółć',
        'Małgorzata',
        'Stanisław',
        'Michał',
        'Jabłoński',
        'Górski',
        'Pawłowski',
        'Wróbel',
        'Krzyżanowski',
        'Łódź',
        'Święcicki',
      ],
    ],
    el: [
      ['windows-1253', 'iso-8859-7'],
      [
        'Παπαδόπουλος',
        'Άννα',
        'Γιώργος',
        'Νικολάου',
        'Ελένη',
        'Δημήτρης',
        'Αθήνα',
        'Κώστας',
        'Ιωάννης',
        'Μαρία',
        'Βασιλική',
        'Θεσσαλονίκη',
        'Χρήστος',
        'Οικονόμου',
        'Έλλη',
        'Όλγα',
      ],
    ],
    de: [
      ['windows-1252', 'iso-8859-15', 'cp850', 'macintosh'],
      [
        'Müller',
        'Jäger',
        'Schröder',
        'Größe',
        'Straße',
        'Köhler',
        'Krüger',
        'Schäfer',
        'Weiß',
        'Jürgen',
        'Günther',
        'Böhm',
        'Königstraße',
        'Fußgänger',
        'Österreich',
        'Löwe',
        'Bäcker',
        'Hänsel',
        'Übel',
        'Rößler',
      ],
    ],
    fr: [
      ['windows-1252', 'iso-8859-15', 'cp850', 'macintosh'],
      [
        'François',
        'Hélène',
        'Étienne',
        'Benoît',
        'Lefèvre',
        'Céline',
        'Chloé',
        'Noël',
        'Jérôme',
        'Zoé',
        'Gaëlle',
        'Thérèse',
        'Aurélie',
        'Maîtresse',
        'Côté',
        'Bélanger',
        'Désirée',
        'Françoise',
        'Irène',
        'Grégoire',
      ],
    ],
    es: [
      ['windows-1252', 'iso-8859-15', 'cp850', 'macintosh'],
      [
        'Muñoz',
        'Núñez',
        'González',
        'Pérez',
        'Sánchez',
        'López',
        'José',
        'María',
        'Ibáñez',
        'Peña',
        'Martín',
        'Ramírez',
        'Álvarez',
        'Jiménez',
        'Ordóñez',
        'Begoña',
        'Gómez',
        'Cádiz',
        'Málaga',
        'Íñigo',
      ],
    ],
    sv: [
      ['windows-1252', 'iso-8859-15', 'cp850', 'macintosh'],
      [
        'Åkesson',
        'Björk',
        'Sjöberg',
        'Lindström',
        'Håkansson',
        'Östlund',
        'Nyström',
        'Göran',
        'Pålsson',
        'Åsa',
        'Märta',
        'Bäckström',
        'Malmö',
        'Växjö',
        'Gävle',
        'Söderberg',
        'Mårtensson',
        'Öberg',
      ],
    ],
    da: [
      ['windows-1252', 'iso-8859-15', 'cp850', 'macintosh'],
      [
        'Søren',
        'Jørgensen',
        'Kjær',
        'Østergaard',
        'Åse',
        'Bjørn',
        'Nørgaard',
        'Møller',
        'Sørensen',
        'Ærø',
        'Lærke',
        'Bækgaard',
        'Ødegård',
        'Håkon',
        'Solbjørg',
        'Tromsø',
        'Ålesund',
      ],
    ],
    pt: [
      ['windows-1252', 'iso-8859-15', 'cp850', 'macintosh'],
      [
        'João',
        'Gonçalves',
        'Conceição',
        'Simões',
        'Magalhães',
        'Inês',
        'Mourão',
        'Antônio',
        'Fátima',
        'Guimarães',
        'Araújo',
        'Sebastião',
        'Luís',
        'Camões',
        'Graça',
        'Assunção',
        'Lourenço',
      ],
    ],
    it: [
      ['windows-1252', 'iso-8859-15', 'cp850', 'macintosh'],
      [
        'Niccolò',
        'Forlì',
        'Cantù',
        'Nicolò',
        'Perù',
        'Città',
        'Libertà',
        'Salò',
        'Mondovì',
        'Dalmà',
        'Università',
        'Virtù',
      ],
    ],
    ro: [
      ['windows-1250', 'iso-8859-2', 'iso-8859-16'],
      [
        'Ştefan',
        'Ionuţ',
        'Mureşan',
        'Brăila',
        'Bălan',
        'Mihăilă',
        'Ţurcanu',
        'Cătălin',
        'Bănică',
        'Drăgan',
        'Gheorghiţă',
        'Constanţa',
        'Timişoara',
        'Lăcrămioara',
        'Răzvan',
        'Grigoraş',
        'Câmpina',
        'Încă',
      ],
    ],
    ru: [
      ['windows-1251', 'koi8-r', 'iso-8859-5', 'cp866', 'maccyrillic'],
      [
        'Иванов',
        'Сергей',
        'Петрова',
        'Анна',
        'Смирнов',
        'Кузнецова',
        'Дмитрий',
        'Екатерина',
        'Москва',
        'Волков',
        'Щербаков',
        'Юлия',
        'Соколов',
        'Наталья',
        'Фёдор',
      ],
    ],
    uk: [
      ['windows-1251', 'koi8-u'],
      [
        'Шевченко',
        'Олександр',
        'Київ',
        'Ірина',
        'Їжакевич',
        'Коваленко',
        'Бондаренко',
        'Євген',
        'Львів',
        'Андрій',
        'Мельник',
        'Ґалаґан',
      ],
    ],
    bg: [
      ['windows-1251'],
      [
        'Георгиев',
        'Димитър',
        'Иванова',
        'Стоянов',
        'Пловдив',
        'Христо',
        'Красимира',
        'Николов',
        'Тодорова',
        'Варна',
      ],
    ],
    lt: [
      ['windows-1257', 'iso-8859-13'],
      [
        'Kazlauskas',
        'Jonaitytė',
        'Petrauskienė',
        'Žukauskas',
        'Šiauliai',
        'Vytautė',
        'Eglė',
        'Čiurlionis',
        'Rūta',
        'Živilė',
        'Jūratė',
        'Paulauskaitė',
        'Bružas',
        'Panevėžys',
        'Mindaugas Ąžuolas',
      ],
    ],
    lv: [
      ['windows-1257', 'iso-8859-13'],
      [
        'Bērziņš',
        'Kalniņš',
        'Jānis',
        'Ozoliņa',
        'Krūmiņa',
        'Zariņš',
        'Līga',
        'Rēzekne',
        'Pēteris',
        'Liepiņa',
        'Kārlis',
        'Āboliņš',
        'Ķemeri',
        'Ģirts',
        'Ilūkste',
      ],
    ],
    et: [
      ['windows-1257', 'windows-1252'],
      ['Tõnu', 'Kõiv', 'Mäe', 'Sõber', 'Jõgi', 'Pärnu', 'Põld', 'Õnne', 'Külli', 'Rõõm', 'Võru', 'Tõnis'],
    ],
    sk: [
      ['windows-1250', 'iso-8859-2'],
      [
        'Kováč',
        'Horváth',
        'Ľubomír',
        'Šťastný',
        'Žilina',
        'Ďurica',
        'Vargová',
        'Mrázová',
        'Ľudmila',
        'Štúr',
        'Hruška',
        'Košice',
        'Kráľ',
        'Nitrianska Ôsma',
        'Vančo',
      ],
    ],
    hr: [
      ['windows-1250', 'iso-8859-2'],
      [
        'Horvat',
        'Kovačević',
        'Đurđica',
        'Šimić',
        'Žarko',
        'Božić',
        'Jurić',
        'Marković',
        'Čačić',
        'Perić',
        'Đorđe',
        'Krešimir',
        'Lučić',
        'Zadar Ž.',
        'Babić',
      ],
    ],
    is: [
      ['windows-1252', 'iso-8859-15'],
      [
        'Sigurðsson',
        'Guðmundsdóttir',
        'Þór',
        'Björk',
        'Jón',
        'Þorsteinn',
        'Sigríður',
        'Hafþór',
        'Akureyri',
        'Ragnheiður',
        'Ísafjörður',
        'Guðrún',
        'Ólafur',
        'Þórunn',
        'Halldór',
      ],
    ],
    he: [
      ['windows-1255', 'iso-8859-8'],
      [
        'דהן',
        'פרידמן',
        'מלכה',
        'אזולאי',
        'נתניה',
        'שלום',
        'גולדברג',
        'רוזנברג',
        'שפירא',
        'אורית',
        'גבריאל',
        'אשדוד',
        'באר שבע',
        'נועה',
        'תמר',
        'איתן',
        'צה״ל',
        'עמית',
      ],
    ],
    ar: [
      ['windows-1256', 'iso-8859-6'],
      [
        'عائشة',
        'بغداد',
        'نور',
        'ليلى',
        'سليمان',
        'الخطيب',
        'المصري',
        'حداد',
        'النجار',
        'سارة',
        'مصطفى',
        'زينب',
        'طارق',
        'بيروت',
        'عمان',
        'الإسكندرية',
        'ياسمين',
        'كريم',
      ],
    ],
    fa: [
      ['windows-1256'],
      [
        'محمدي',
        'رضا',
        'پارسا',
        'چمران',
        'تهران',
        'گلستان',
        'ژاله',
        'احمدپور',
        'زهرا',
        'مشهد',
        'بهرام',
        'شاه\u200cپور',
      ],
    ],
    nl: [
      ['windows-1252'],
      ['Daniël', 'Zoë', 'Noël', 'Michèle', 'René', 'Loïs', 'Chloë', 'Hélène', 'Andrée', 'Ruïz'],
    ],
  }

/** What is read of names, one a line; `refused` where nothing is. */
async function readNames(names: readonly string[], encoding: string): Promise<readonly string[] | 'refused'> {
  try {
    const { items } = await read(
      'csv',
      iconv.encode(`id,name\n${names.map((name) => `1,${name}\n`).join('')}`, encoding),
    )
    return items.map(({ values }) => values[1] ?? '')
  } catch (error) {
    if (error instanceof SyncError && error.code === 'INPUT_ENCODING') return 'refused'
    throw error
  }
}

/** Three names at a time, so that most of a language's letters are missing. */
const threes = (names: readonly string[]): (readonly string[])[] =>
  names.flatMap((_, at) => (at % 3 === 0 && at + 3 <= names.length ? [names.slice(at, at + 3)] : []))

const cases = Object.entries(LANGUAGES).flatMap(([language, [encodings, names]]) =>
  encodings.map((encoding) => [language, encoding, names] as const),
)

describe('an 8-bit encoding', () => {
  it.each(cases)('of names (%s) is found: %s', async (_language, encoding, names) => {
    expect(await readNames(names, encoding)).toEqual(
      iconv.decode(iconv.encode(names.join('\n'), encoding), encoding).split('\n'),
    )
  })

  it.each(cases)('of three names (%s) is right or refused: %s', async (_language, encoding, names) => {
    for (const some of threes(names)) {
      const found = await readNames(some, encoding)
      if (found !== 'refused')
        expect(found).toEqual(iconv.decode(iconv.encode(some.join('\n'), encoding), encoding).split('\n'))
    }
  })

  it('is judged by the whole file: a letter that comes late may be the one that decides', async () => {
    const plain = Array.from({ length: 30_000 }, (_, index) => `Müller${index}`)
    const late = ['Yılmaz', 'Şahin', 'Erdoğan', 'Işık', 'Ayşe', 'Kılıç', 'Uğur', 'Yıldız', 'Barış', 'Oğuz']
    const found = await readNames([...plain, ...late], 'windows-1254')
    expect(found === 'refused' ? found : found.slice(-late.length)).toEqual(late)
  })

  it('that cannot be told is refused with what the first such word reads in each, apart from the message', async () => {
    const error: unknown = await read('csv', Buffer.from('id,name\n1,K\xf5\n', 'latin1')).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'INPUT_ENCODING' })
    const { message, hint } = error as SyncError
    expect(hint).toMatch(/reads "K\S+" in \S+ and "K\S+" in \S+\. Set source\.encoding/)
    expect(message).not.toMatch(/K[õő]/)
  })
})

/** The names of encodings in a text. */
const encodingsIn = (text: string): string[] =>
  text.match(/\b(windows-\d+|iso-8859-\d+|cp\d{3,}|koi8-\w|mac\w+|utf-\d+)\b/gi) ?? []

async function refusal(bytes: Buffer, encoding = 'auto'): Promise<{ message: string; hint: string }> {
  const error: unknown = await read('csv', bytes, { encoding }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'INPUT_ENCODING' })
  return error as SyncError
}

/** Alphabets that no candidate has. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  cp874: ['สมชาย', 'สมหญิง', 'กรุงเทพ', 'เชียงใหม่', 'ประเสริฐ', 'วิชัย', 'มาลี', 'สุดา', 'นคร'],
  armscii8: ['Արմեն', 'Աննա', 'Երևան', 'Հայկ', 'Մարիամ', 'Գյումրի', 'Տիգրան', 'Լուսինե', 'Վահան'],
}

describe('an encoding that was ruled out is not proposed', () => {
  it.each(Object.entries(FOREIGN))('where the text makes words in none: %s', async (encoding, names) => {
    for (const some of [names, ...threes(names)]) {
      const text = `id,name\n${some.map((name) => `1,${name}\n`).join('')}`
      const { message, hint } = await refusal(iconv.encode(text, encoding))
      expect(encodingsIn(`${message.replace('is not UTF-8', '')} ${hint}`)).toEqual([])
    }
  })

  it('where it does not know all of the bytes, wherever they stand', async () => {
    for (const byte of [0x81, 0x8d, 0x8f, 0x90, 0x9d, 0xd2, 0xff])
      for (const before of ['', 'M', 'M\xfcller', 'x'.repeat(45)]) {
        const bytes = Buffer.from(
          `id,name\n1,J\xf5gi ${before}${String.fromCharCode(byte)}K\xf5q\n`,
          'latin1',
        )
        const found: unknown = await read('csv', bytes).catch((thrown: unknown) => thrown)
        if (!(found instanceof SyncError)) continue
        for (const encoding of encodingsIn(`${found.message.replace('is not UTF-8', '')} ${found.hint}`))
          expect([encoding, iconv.decode(bytes, encoding)]).not.toEqual([
            encoding,
            expect.stringMatching(/[\ufffd\x80-\x9f]/),
          ])
      }
  })

  it.each([
    ['utf-8', 'M\xfcller'],
    ['windows-1252', 'M\x81ller'],
    ['windows-1253', 'K\xd2q'],
    ['iso-8859-7', 'K\xd2q'],
  ])('where it was set, and the bytes contradict it: %s', async (encoding, name) => {
    const { message, hint } = await refusal(Buffer.from(`id,name\n1,${name}\n`, 'latin1'), encoding)
    expect(encodingsIn(message).map((one) => one.toLowerCase())).toEqual([encoding])
    expect(encodingsIn(hint)).toEqual([])
  })
})

describe('an encoding that is set', () => {
  it('and that the bytes contradict is reported: they are valid UTF-8', async () => {
    const text = Buffer.from('id,name\n1,plain\n2,Müller\n')
    expect(await read('csv', text, { encoding: 'windows-1252' })).toMatchObject({ contradicted: { line: 3 } })
    for (const encoding of ['auto', 'utf-8'])
      expect((await read('csv', text, { encoding })).contradicted).toBeUndefined()
    const right = iconv.encode('id,name\n1,Müller\n', 'windows-1252')
    expect((await read('csv', right, { encoding: 'windows-1252' })).contradicted).toBeUndefined()
  })

  it.each(['x-mac-ce', 'x-mac-centraleurroman', 'MacCentralEurope', 'maccenteuro'])(
    'may be called %s',
    async (encoding) => {
      const { items } = await read('csv', iconv.encode('id,name\n1,Dvořák\n', 'maccenteuro'), { encoding })
      expect(items[0]?.values).toEqual(['1', 'Dvořák'])
    },
  )
})
