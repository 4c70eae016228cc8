// All fields of one record: made by their rules or by corrections, and checked.
import type { Contact, FieldValue } from '../contact.ts'
import type { ErrorCode } from '../../words/errors.ts'
import { describeSource, quotedValue } from '../mapping-texts.ts'
import type { FieldMapper, RightValues } from './field-mapping.ts'

interface FieldProblem {
  /** The field's key in the contact. */
  readonly key: string
  readonly code: ErrorCode
  readonly text: string
  readonly plain: string
}

/** The fields of one record, made and checked. */
interface ContactReading {
  readonly contact: Contact
  readonly mended: readonly string[]
  readonly lacking: readonly string[]
  /** Fields for which the source has nothing; a value that was dropped is not nothing. */
  readonly blank: readonly string[]
  /** Keys of fields in which a value stands in for a blank. */
  readonly standIns: readonly string[]
  readonly problems: readonly FieldProblem[]
}

export function contactMaker(
  fields: readonly FieldMapper[],
): (values: readonly string[], corrected?: RightValues) => ContactReading {
  return (values, corrected) => {
    const contact: Record<string, FieldValue> = {}
    const mended: string[] = []
    const lacking: string[] = []
    const blank: string[] = []
    const standIns: string[] = []
    const problems: FieldProblem[] = []
    for (const { name, key, mapping, read, accept } of fields) {
      const right = corrected?.get(name)
      const result = right === undefined ? read(values, undefined, corrected) : accept(right)
      const { value, problem, mended: wasMended, lacking: isLacking, isStandIn } = result
      if (value !== undefined) contact[key] = value
      if (isStandIn === true) standIns.push(key)
      if (wasMended === true) mended.push(name)
      if (isLacking === true) lacking.push(name)
      if (problem !== undefined) {
        const from = right === undefined ? describeSource(mapping) : 'the correction'
        problems.push({
          key,
          code: problem.code,
          text: `${name}: ${from}${quotedValue(problem.value)} ${problem.problem}`,
          plain: `${name}: ${from} ${problem.problem}`,
        })
      } else if (wasMended !== true && (value === undefined || value === '')) blank.push(name)
    }
    return { contact, mended, lacking, blank, standIns, problems }
  }
}
