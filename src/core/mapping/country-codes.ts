// ISO 3166-1 alpha-2, and nothing beside it: the package also knows XK, which is a code of users and not of the standard.
// The codes alone: the names of 75 languages are loaded where a mapping reads names.
import countries from 'i18n-iso-countries/index.js'

const NOT_ISO: readonly string[] = ['XK']

/** `code` in capital letters. */
export const isCountryCode = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) && countries.alpha2ToNumeric(code) !== undefined && !NOT_ISO.includes(code)

/** The code that was probably meant by a code of three letters, or by a usual mistake. */
export function meantCountryCode(code: string): string | undefined {
  const meant = countries.alpha3ToAlpha2(code) ?? (code === 'UK' ? 'GB' : undefined)
  return meant !== undefined && isCountryCode(meant) ? meant : undefined
}
