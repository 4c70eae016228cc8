// Places that are written behind a name (`Müller, Berlin`), folded: large cities of the countries whose names are read, unless
// they are mostly first names (Austin, Florence, Milan). What stands behind the comma then may be no first name.
import { foldedWord, wordSet } from './name-words.ts'

const CITIES = wordSet(`
  berlin hamburg munchen muenchen munich koln koeln cologne frankfurt stuttgart dusseldorf duesseldorf leipzig dortmund essen
  bremen dresden hannover nurnberg nuernberg nuremberg duisburg bochum wuppertal bielefeld bonn munster muenster mannheim
  karlsruhe augsburg wiesbaden monchengladbach gelsenkirchen aachen braunschweig chemnitz kiel halle magdeburg freiburg krefeld
  mainz lubeck luebeck erfurt oberhausen rostock kassel hagen potsdam saarbrucken hamm ludwigshafen oldenburg osnabruck
  leverkusen heidelberg darmstadt solingen regensburg paderborn ingolstadt wurzburg wuerzburg furth ulm heilbronn pforzheim
  wolfsburg gottingen goettingen bottrop reutlingen koblenz bremerhaven erlangen trier jena cottbus gera hildesheim konstanz
  wien vienna graz linz salzburg innsbruck klagenfurt villach wels dornbirn bregenz zurich zuerich genf geneve geneva basel bern
  lausanne winterthur luzern lugano biel vaduz
  london birmingham manchester liverpool leeds sheffield glasgow edinburgh bristol cardiff belfast dublin cork
  paris marseille toulouse nantes strasbourg montpellier bordeaux lille rennes grenoble dijon bruxelles brussel brussels
  antwerpen gent brugge luxembourg amsterdam rotterdam utrecht eindhoven groningen madrid barcelona valencia sevilla zaragoza
  malaga bilbao lisboa lisbon porto coimbra roma rom rome milano mailand napoli neapel torino turin palermo genova bologna
  firenze florenz bari catania venezia venedig verona warszawa warschau warsaw krakow krakau lodz wroclaw breslau poznan gdansk
  danzig szczecin katowice lublin praha prag prague brno bratislava budapest zagreb ljubljana beograd istanbul ankara izmir
  stockholm goteborg malmo oslo kopenhagen kobenhavn helsinki chicago toronto boston seattle vancouver montreal
`)
const OF_SEVERAL = new Set(['new york', 'los angeles', 'san francisco', 'den haag', 'the hague'])
const WITHIN = wordSet('am bei ob')

/** Whether words may be the name of a place: `Berlin`, `Bad Homburg`, `Frankfurt am Main`. */
export function isMaybePlace(words: readonly string[]): boolean {
  const folded = words.map(foldedWord)
  const [first = '', ...others] = folded
  if (others.length === 0) return CITIES.has(first)
  return OF_SEVERAL.has(folded.join(' ')) || first === 'bad' || others.some((word) => WITHIN.has(word))
}
