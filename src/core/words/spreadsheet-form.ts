// What a spreadsheet makes of a text that it takes for a number or a date, when a file is opened in it and saved: `0071`
// becomes `71`, `491711234567` becomes `4,91711E+11`, `12-3` becomes `12. Mar`. Pure.

const NUMBER = /^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i
const [SHOWN_DIGITS, MOST_DIGITS] = [15, 400]

/** A whole number or a fraction as a spreadsheet writes it: no plus, no zeros around it, fifteen digits that count. */
function plainNumber(text: string): string {
  if (/e/i.test(text)) return String(Number(text.replace(',', '.')))
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)0*(\d+)(?:[.,](\d*?)0*)?$/.exec(text) ?? []
  const kept = whole.slice(0, SHOWN_DIGITS).padEnd(whole.length, '0')
  const rest = fraction.slice(0, Math.max(0, SHOWN_DIGITS - whole.length))
  return (sign === '-' ? '-' : '') + kept + (rest === '' ? '' : `.${rest}`)
}

function isNumberForm(text: string, given: string): boolean {
  if (text.length > MOST_DIGITS || !NUMBER.test(text) || !NUMBER.test(given)) return false
  const form = given.replace(',', '.')
  const exponent = /^-?\d(?:\.(\d{1,14}))?e\+?\d+$/i.exec(form)
  if (exponent === null) return form === plainNumber(text)
  const shown = exponent[1]?.length ?? 0
  return Number(text.replace(',', '.')).toExponential(shown) === Number(form).toExponential(shown)
}

const parts = (text: string): string[] => text.split(/[-/. ]+/).filter((part) => part !== '')
const isCount = (part: string): boolean => /^\d{1,4}$/.test(part)
/** Years may have lost or gained a century. */
const lastTwo = (part: string): number => Number(part) % 100

function isDateForm(text: string, given: string): boolean {
  const [were, are] = [parts(text), parts(given)]
  if (were.length < 2 || were.length > 3 || !were.every(isCount)) return false
  const words = are.filter((part) => !isCount(part))
  if (words.some((word) => !/^\p{L}{3,}$/u.test(word)) || words.length > 1) return false
  if (are.length > 3 || are.length < 3 - words.length) return false
  const numbers = are.filter(isCount).map(lastTwo)
  // The name of a month stands for one of the numbers.
  return were.filter((part) => !numbers.includes(lastTwo(part))).length <= words.length
}

/** Whether `given` is another text than `text`, and what a spreadsheet makes of it. */
export const isSpreadsheetForm = (text: string, given: string): boolean =>
  text !== given && (isNumberForm(text, given) || isDateForm(text, given))
