// Headers and words in headers that speak of no field: permissions, notes, other people, and which of several columns it is.
import type { HeaderWords, Meaning, Qualifier } from './meaning.ts'

export const OTHER_WORDS: Readonly<Partial<Record<Meaning, HeaderWords>>> = {
  consent: {
    en: `email consent, email marketing consent, marketing consent, consent, newsletter, subscribed, unsubscribed, opt in,
      opt out, email opt out, email opt in, accepts email marketing, accepts sms marketing, email status, status, permission,
      email blacklisted, sms blacklisted, do not contact, do not call, do not mail, gdpr, member rating, email permission,
      subscription status, optin, optout, bounced, blocked`,
    de: 'einwilligung, abonniert, abonnent, abgemeldet, newsletter einwilligung, e mail einwilligung, mailstatus, datenschutz',
    fr: 'consentement, abonné, désabonné, statut, inscrit, lettre d information',
    es: 'consentimiento, suscrito, estado de suscripción, boletín',
    it: 'consenso, iscritto, stato iscrizione, privacy',
    nl: 'toestemming, ingeschreven, nieuwsbrief, abonnement',
    pl: 'zgoda, zgody, subskrypcja, biuletyn',
    pt: 'consentimento, inscrito, subscrito, boletim',
  },
  other: {
    en: `notes, note, description, comments, department, owner, contact owner, lead source, source, created, created at, create date,
      last modified, updated at, modified, date added, website, url, web page, homepage, username, nickname, middle name,
      additional name, suffix, name suffix, initials, file as, display name, maiden name, language, timezone, time zone, latitude,
      longitude, ip address, currency, total spent, revenue, points, score, stage, photo, anniversary, notes and comments, ltv,
      type, linkedin, instagram, foursquare, company type, related company, lead status, age, building, floor, room`,
    de: 'notiz, notizen, bemerkung, bemerkungen, abteilung, webseite, internetseite, spitzname, weitere vornamen, initialen, sprache, erstellt am, geändert am, jahrestag, quelle, betreuer, geburtsname, umsatz, alter, postfach',
    fr: 'notes, commentaire, commentaires, service, site web, surnom, langue, créé le, modifié le, origine, deuxième prénom',
    es: 'notas, comentarios, departamento, sitio web, apodo, idioma, origen, segundo apellido, segundo nombre',
    it: 'note, commenti, reparto, sito web, soprannome, lingua, origine, secondo nome',
    nl: 'notities, opmerkingen, afdeling, bijnaam, taal, bron, tussenvoegsel',
    pl: 'notatki, uwagi, dział, strona www, pseudonim, język, źródło, drugie imię',
    pt: 'notas, observações, departamento, site, alcunha, idioma, origem, segundo nome',
  },
}

/** A column with one of these words is about another person or thing. */
export const FOREIGN_WORDS: HeaderWords = {
  en: `assistant, assistants, manager, managers, spouse, partner, children, child, emergency, referred, parent, mother, father, mum, dad, owner,
    yomi, phonetic, car, pager, callback, radio, telex, isdn, tty, tdd, type, display, fax2, assigned, agent, event, order,
    ticket, product, invoiceno, creator, editor, reference, consent, marketing, blacklisted, verified, bounced, opt, valid,
    formatted, extended, box, im, icq, aim, jabber, msn, yahoo, deceased, custom, user, domain, account`,
  de: 'assistent, assistentin, vorgesetzter, vorgesetzten, ehepartner, kinder, ausspracheform, autotelefon, rückmeldung, benutzer, typ, angezeigter, einwilligung, notfall, vertreter, sachbearbeiter, betreuer, kundenbetreuer, berater, vertrieb, postfach',
  fr: 'assistant, responsable, conseiller, conseillère, conjoint, enfants, consentement, urgence, parrain',
  es: 'asistente, responsable, cónyuge, hijos, consentimiento, emergencia',
  it: 'assistente, responsabile, coniuge, figli, consenso, emergenza',
  nl: 'assistent, leidinggevende, kinderen, toestemming, noodgeval',
  pl: 'asystent, kierownik, małżonek, dzieci, zgoda',
  pt: 'assistente, responsável, cônjuge, filhos, consentimento, emergência',
}

export const QUALIFIERS: Readonly<Record<Qualifier, HeaderWords>> = {
  main: {
    en: 'main, primary, preferred, default, 1, one',
    de: 'haupt, standard, bevorzugt, erste',
    fr: 'principal, principale',
    es: 'principal',
    it: 'principale',
    nl: 'hoofd, primair',
    pl: 'główny, główna, podstawowy',
    pt: 'principal',
  },
  work: {
    en: 'work, business, office, company, professional, corporate',
    de: 'geschäftlich, dienstlich, arbeit, büro, firma, geschäft, arbeitsadresse, geschäftsadresse, firmen, beruflich',
    fr: 'professionnel, professionnelle, bureau, travail, pro',
    es: 'trabajo, oficina, profesional, laboral',
    it: 'lavoro, ufficio, aziendale',
    nl: 'werk, zakelijk, kantoor',
    pl: 'służbowy, praca, firmowy, służbowa',
    pt: 'trabalho, profissional, escritório, comercial',
  },
  home: {
    en: 'home, private, personal, residential',
    de: 'privat, private, zuhause, privatadresse, persönlich',
    fr: 'domicile, privé, personnel, perso, personnelle',
    es: 'casa, particular, personal',
    it: 'casa, privato, abitazione, personale',
    nl: 'thuis, privé',
    pl: 'prywatny, domowy, dom, prywatna',
    pt: 'casa, pessoal, residencial',
  },
  billing: {
    en: 'billing, invoice, mailing',
    de: 'rechnung, rechnungs, rechnungsadresse, rechnungsanschrift',
    fr: 'facturation',
    es: 'facturación',
    it: 'fatturazione',
    nl: 'factuur, facturatie',
    pl: 'faktura, rozliczeniowy',
    pt: 'faturação, faturamento, cobrança',
  },
  shipping: {
    en: 'shipping, delivery, ship',
    de: 'liefer, lieferung, lieferadresse, versand',
    fr: 'livraison',
    es: 'envío, entrega',
    it: 'spedizione, consegna',
    nl: 'bezorg, levering, verzend',
    pl: 'dostawa, wysyłka',
    pt: 'entrega, envio',
  },
  second: {
    en: '2, 3, 4, 5, second, secondary, alternate, alternative, other, additional, two',
    de: 'zweite, weitere, weiterer, weiteres, alternativ, andere',
    fr: 'secondaire, autre',
    es: 'secundario, otro, otra, alternativo',
    it: 'secondario, altro, altra',
    nl: 'tweede, ander, andere, overig',
    pl: 'drugi, inny, inna, dodatkowy',
    pt: 'secundário, outro, outra, alternativo',
  },
}

/** Words without meaning beside others. */
export const EMPTY_WORDS: HeaderWords = {
  en: 'address, contact, person, customer, client, number, value, the, your, of, no, adr, individual, subscriber, profile, a',
  de: 'adresse, kontakt, kunde, nummer, nr, der, des, die, tel',
  fr: 'adresse, contact, client, numéro, de, du, des, la, le, votre',
  es: 'dirección, contacto, cliente, número, de, del, la, el',
  it: 'indirizzo, contatto, cliente, numero, di, del, della, la',
  nl: 'adres, contact, klant, nummer, van, de, het',
  pl: 'adres, kontakt, klient, numer',
  pt: 'endereço, contato, contacto, cliente, número, de, do, da',
}

/** A column that says which records are companies: then a name is not always one of a person. */
export const COMPANY_FLAGS: ReadonlySet<string> = new Set(
  'is a company|company type|is company|type of contact|contact type|record type|kontakttyp|art|kind'.split(
    '|',
  ),
)
