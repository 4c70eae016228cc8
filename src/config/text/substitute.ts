// Sets environment variables into one text: `${NAME}`, `${NAME:-default}`, and `$${` for the characters themselves.
// What a variable holds is never part of a message.

export type Environment = Readonly<Record<string, string | undefined>>

export interface Substituted {
  readonly text: string
  /** Variables that were read. */
  readonly variables: readonly string[]
  /** Whether anything was replaced, a default counting as well. */
  readonly replaced: boolean
  /** Sentences of the form "what is wrong; what would be right". */
  readonly problems: readonly string[]
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

/** As a shell does: the default also stands in for a variable that is set to nothing. */
export function substitute(text: string, env: Environment): Substituted {
  const variables: string[] = []
  const problems: string[] = []
  let replaced = false
  const result = text.replace(REFERENCE, (whole: string, inner: string | undefined, end: string) => {
    if (inner === undefined) return '${'
    const [, name, fallback] = end === '' ? [] : (NAME.exec(inner) ?? [])
    if (name === undefined) {
      problems.push(
        'holds "${" without a variable name and "}"; write ${NAME} or ${NAME:-default}, and $${ for the literal characters',
      )
      return whole
    }
    if (fallback?.includes('${') === true) {
      problems.push(
        `holds "\${" in the default of ${name}; a default cannot name a variable: write plain text`,
      )
      return whole
    }
    replaced = true
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value !== undefined && (value !== '' || fallback === undefined)) {
      variables.push(name)
      return value
    }
    if (fallback !== undefined) return fallback
    problems.push(
      `the environment variable ${name} is not set; set it, or give a default with \${${name}:-default}`,
    )
    return ''
  })
  return { text: result, variables, replaced, problems }
}
