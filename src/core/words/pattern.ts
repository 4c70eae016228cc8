// Patterns that a configuration holds: RE2, never JavaScript's own, which can run without end on a crafted text.
import { RE2JS } from 're2js'
import { z } from 'zod'

/** Why a text is no RE2 pattern; undefined where it is one. */
export function re2Problem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be read'
  }
}

/** A pattern in the schema, refused where it is written. */
export const re2Text = z
  .string()
  .min(1)
  .check((ctx) => {
    const problem = re2Problem(ctx.value)
    if (problem === undefined) return
    const message = `is not an RE2 pattern (${problem}); see https://github.com/google/re2/wiki/Syntax`
    ctx.issues.push({ code: 'custom', input: ctx.value, message })
  })
