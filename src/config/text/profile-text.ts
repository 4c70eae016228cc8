// The profile of a service as YAML, as `probe` prints it.
import { stringify } from 'yaml'
import type { ServiceProfile } from '../../core/service-profile.ts'

const HEAD = `# What the service does where its interface leaves it open, as contact-sync probe has seen it.
# unknown: it could not be seen with the contacts and lists that were there.
`

export const profileText = (profile: ServiceProfile): string => `${HEAD}${stringify(profile)}`
