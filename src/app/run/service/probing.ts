// Composes `probe`: its requests within the rate limit of all processes, and the profile as text.
import type { ServiceProfile } from '../../../core/service-profile.ts'
import type { Settings } from '../../../core/settings.ts'
import { profileText } from '../../../config/text/profile-text.ts'
import { createProbeCalls } from '../../../service/probe-calls.ts'
import { PROBE_REQUESTS, type ProbeContext, type ProbeResult, probeService } from '../../../sync/probe.ts'
import { systemClock as clock } from '../../../system.ts'
import { sharedWindow } from './rate-window.ts'

export async function probeOf(
  settings: Settings,
  options: Omit<ProbeContext, 'calls'>,
): Promise<ProbeResult> {
  const calls = createProbeCalls(settings.service, { clock, ...sharedWindow(settings), most: PROBE_REQUESTS })
  try {
    return await probeService({ calls, ...options })
  } finally {
    await calls.close()
  }
}

export const profileAsYaml = (profile: ServiceProfile): string => profileText(profile)
