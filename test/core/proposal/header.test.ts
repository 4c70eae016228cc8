// What headers say, in eight languages, and what they do not.
import { describe, expect, it } from 'vitest'
import { headerLanguages, readHeader } from '../../../src/core/proposal/header.ts'

const MEANINGS = {
  mail: 'Email, E-Mail-Adresse, EMAIL, Courriel, Correo electrónico, Indirizzo e-mail, E-mailadres, Adres e-mail, Endereço de email, emailAddress',
  first_name:
    'First Name, firstName, first_name, FNAME, Vorname, Prénom, Nombre de pila, Voornaam, Imię, Primeiro nome',
  family_name:
    'Last Name, Surname, Nachname, Nom de famille, Apellidos, Cognome, Achternaam, Nazwisko, Sobrenome',
  full_name: 'Name, Full name, Nom, Nombre, Nome, Naam, Imię i nazwisko, Nom et prénom',
  salutation: 'Salutation, Name Prefix, Anrede, Civilité, Tratamiento, Aanhef',
  phone: 'Phone, Telefon, Tel., Téléphone, Teléfono, Telefono, Telefoon, Telefone, Telefonnummer',
  mobile: 'Mobile, Handy, Mobiltelefon, Portable, Móvil, Cellulare, Mobiel, Telemóvel, Komórka, SMS',
  fax: 'Fax, Telefax, Faks, Télécopie',
  street: 'Street, Straße, Strasse, STRASSE, Rue, Calle, Via, Straat, Ulica, Rua, Address 1, Address Line 1',
  city: 'City, Ort, Ville, Ciudad, Città, Plaats, Miasto, Cidade, Wohnort',
  postal_code:
    'ZIP, PLZ, Postleitzahl, Code postal, Código postal, CAP, Postcode, Kod pocztowy, CEP, zipcode',
  state: 'State, Bundesland, Región, Provincie, Województwo, State/Region, Mailing State/Province',
  country: 'Country, Land, Pays, País, Paese, Kraj, Country/Region, Land/Region geschäftlich',
  birthday:
    'Birthday, Geburtsdatum, Date de naissance, Fecha de nacimiento, Data di nascita, Geboortedatum, Data urodzenia, Data de nascimento, Geb.-Datum',
  company: 'Company, Firma, Société, Empresa, Azienda, Bedrijf, Account Name, Organization 1 - Name',
  job_title: 'Job Title, Position, Beruf, Fonction, Cargo, Ruolo, Functie, Stanowisko',
  id: 'ID, Record ID, Kundennummer, Numéro client, Número de cliente, Klantnummer, Customer No.',
  consent:
    'Email consent, Email Marketing Consent, Newsletter, Accepts Email Marketing, Status, Einwilligung',
} as const

describe('a header', () => {
  const rows = Object.entries(MEANINGS).flatMap(([meaning, names]) =>
    names.split(', ').map((name) => [name, meaning] as const),
  )
  it.each(rows)('"%s" says %s', (name, meaning) => {
    const read = readHeader(name)
    expect(read.meaning).toBe(meaning)
    expect(['exact', 'qualified']).toContain(read.how)
  })

  it.each([
    ['Telefon geschäftlich', 'phone', ['work']],
    ['Telefon (privat 2)', 'phone', ['home', 'second']],
    ['Home City', 'city', ['home']],
    ['E-mail 2 Address', 'mail', ['second']],
    ['Primary Email', 'mail', ['main']],
    ['Shipping Street', 'street', ['shipping']],
    ['Rechnungsadresse PLZ', 'postal_code', ['billing']],
    ['Téléphone professionnel', 'phone', ['work']],
  ] as const)('"%s" says which one of several it is', (name, meaning, qualifiers) => {
    expect(readHeader(name)).toMatchObject({ meaning, qualifiers, how: 'qualified' })
  })

  it.each([
    "Assistant's Phone",
    'Contact owner',
    'mum_first_name',
    'Ausspracheform Vorname',
    'Given Name Yomi',
    'E-mail Type',
  ])('"%s" is about somebody or something else', (name) => {
    expect(readHeader(name).meaning).toBe('other')
  })

  it.each(['', '  ', 'Foo', 'LEID', '???', '指定なし'])('%o says nothing, or no field', (name) => {
    expect([undefined, 'id']).toContain(readHeader(name).meaning)
  })

  it('of a user account gives its address, and no job', () => {
    expect(readHeader('user_email').meaning).toBe('mail')
    expect(readHeader('role').meaning).toBeUndefined()
  })

  it('that could be all of the address in one says so', () => {
    expect(readHeader('Adresse')).toMatchObject({ meaning: 'street', isWholeAddress: true })
    expect(readHeader('Straße').isWholeAddress).toBeUndefined()
  })
})

it.each([
  [['Vorname', 'Nachname', 'E-Mail-Adresse', 'PLZ', 'Land'], 'de'],
  [['Prénom', 'Nom de famille', 'Courriel'], 'fr'],
  [['First Name', 'Last Name', 'Email'], 'en'],
  [['Imię', 'Nazwisko', 'Kod pocztowy'], 'pl'],
] as const)('the language of %s is %s', (header, language) => {
  expect(headerLanguages(header)[0]).toBe(language)
})
