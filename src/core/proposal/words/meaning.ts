// What the header of a column may say, and the form of the tables beside this file: words by language, as headers write them,
// one below the other or between commas. A table is data; nothing decides here.

export const HEADER_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const
export type HeaderLanguage = (typeof HEADER_LANGUAGES)[number]

/** Words between commas, by language. */
export type HeaderWords = Readonly<Partial<Record<HeaderLanguage, string>>>

/** What a column holds, by its header. Not all of it is a field of a contact. */
export type Meaning =
  | 'mail'
  | 'first_name'
  | 'family_name'
  | 'full_name'
  | 'salutation'
  | 'academic'
  | 'title'
  | 'gender'
  | 'company'
  | 'job_title'
  | 'phone'
  | 'mobile'
  | 'fax'
  | 'street'
  | 'street2'
  | 'city'
  | 'postal_code'
  | 'state'
  | 'country'
  | 'birthday'
  | 'skype'
  | 'fb'
  | 'twitter'
  | 'id'
  | 'tags'
  | 'consent'
  | 'other'

/** Which of several columns of one meaning it is. */
export type Qualifier = 'main' | 'work' | 'home' | 'billing' | 'shipping' | 'second'
