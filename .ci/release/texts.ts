// What a release changes in texts: the version wherever it stands, and the date in the changelog. Pure.

/** Where the version of an image or of the package stands, beside package.json and its lock. */
export const VERSION_PLACES = {
  Dockerfile: 'ARG VERSION=',
  'README.md': 'contact-sync:',
  'docs/sandbox.md': 'contact-sync-sandbox:',
  'state/README.md': 'contact-sync:',
  'config/deploy/compose.yaml': 'contact-sync:',
  'config/deploy/kustomization.yaml': 'newTag: ',
  // Its own version, and that of the program.
  'config/deploy/helm/Chart.yaml': 'ersion: ',
} as const

const NUMBERS = /^(\d+)\.(\d+)\.(\d+)$/
const UNRELEASED = '## [Unreleased]\n'

function numbersOf(version: string): readonly [number, number, number] {
  const [, major, minor, patch] = NUMBERS.exec(version) ?? []
  if (major === undefined)
    throw new Error(`${version} is no version: major, minor, patch, or three numbers like 1.2.3`)
  return [Number(major), Number(minor), Number(patch)]
}

/** `major`, `minor` or `patch`, or the version itself; the present one may be released while its section is missing. */
export function nextVersion(asked: string, present: string): string {
  const [major, minor, patch] = numbersOf(present)
  if (asked === 'major') return `${major + 1}.0.0`
  if (asked === 'minor') return `${major}.${minor + 1}.0`
  if (asked === 'patch') return `${major}.${minor}.${patch + 1}`
  const order = [major, minor, patch].map((number, index) => (numbersOf(asked)[index] ?? 0) - number)
  if ((order.find((difference) => difference !== 0) ?? 0) < 0)
    throw new Error(`${asked} is older than ${present}`)
  return asked
}

/** What is unreleased gets the version and the date, and a new section begins above it. Throws where there is nothing. */
export function datedChangelog(text: string, version: string, date: string): string {
  if (text.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md has a section ${version} already`)
  const [head, rest] = text.split(UNRELEASED)
  if (head === undefined || rest === undefined)
    throw new Error(`CHANGELOG.md has no line "${UNRELEASED.trim()}"`)
  const [section = ''] = rest.split(/^## /m)
  if (!/^- /m.test(section)) throw new Error('CHANGELOG.md has nothing unreleased')
  const dated = rest.replace(/^\s*What will be [^\n]*\n/, '\n')
  return `${head}${UNRELEASED}\n## [${version}] - ${date}\n${dated}`
}

/** The text with the new version after each `before`. Throws where the present one does not stand there. */
export function withVersion(text: string, before: string, versions: { from: string; to: string }): string {
  const old = `${before}${versions.from}`
  if (!text.includes(old)) throw new Error(`"${old}" does not stand there`)
  return text.replaceAll(old, `${before}${versions.to}`)
}

/** package-lock.json and package.json have it as their own; the lock has it twice. */
export function withOwnVersion(json: string, version: string): string {
  const parsed = JSON.parse(json) as { version: string; packages?: Record<string, { version: string }> }
  parsed.version = version
  if (parsed.packages?.[''] !== undefined) parsed.packages[''].version = version
  return `${JSON.stringify(parsed, null, 2)}\n`
}
