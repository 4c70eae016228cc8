// When the configuration of a command counts as that of the process that has the state.
import { expect, it } from 'vitest'
import { configPrint } from '../../../src/app/decisions/wire.ts'
import type { Settings } from '../../../src/core/settings.ts'
import { serviceSettings } from '../../support/pipeline.ts'
import { testSettings } from '../../support/daemon.ts'

/** As the unit for systemd has it: each process is given its secrets in a folder of its own. */
function handedOver(folder: string, changes: Partial<Settings> = {}): Settings {
  const settings = testSettings([{}], changes)
  const service = { ...(changes.service ?? serviceSettings()), api_key_file: `${folder}/api_key` }
  return { ...settings, service, server: { ...settings.server, token_file: `${folder}/token` } }
}

const daemon = configPrint(handedOver('/run/credentials/contact-sync.service'))

it('does not depend on where secrets are handed over', () => {
  expect(configPrint(handedOver('/run/credentials/run-u42.service'))).toBe(daemon)
})

it('depends on everything else', () => {
  const service = serviceSettings({ base_url: 'https://other.example.com' })
  expect(configPrint(handedOver('/run/credentials/run-u42.service', { service }))).not.toBe(daemon)
})
