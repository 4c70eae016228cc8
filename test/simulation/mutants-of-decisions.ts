// Bugs about what a person decides between two runs.
import { type Mutant, oneBug } from './mutant.ts'

export const ERASED: readonly Mutant[] = [
  oneBug(6, 'an erased person comes back with the next export', 'store/log/tombstones.ts', [
    'if (key !== undefined && ofKey(pipeline, key).some(isSet)) return true',
    'if (key !== undefined && ofKey(pipeline, key).length > 9) return true',
  ]),
  oneBug(1, 'the link of an erased person stays', 'store/log/forget.ts', [
    'counts.links += unlink.run(key).changes',
    'counts.links += 1',
  ]),
  oneBug(43, 'what was about to be sent of an erased person is sent', 'store/log/forget.ts', [
    'counts.openOperations += operations.run(key).changes',
    'counts.openOperations += 1',
  ]),
  oneBug(1, 'the archive keeps the rows of an erased person', 'sync/plan/records/erased.ts', [
    'if (!(await state.hasTombstones())) return undefined\n  const found',
    'if (state.hasTombstones !== undefined) return undefined\n  const found',
  ]),
].map((mutant) => ({ ...mutant, kind: 'erased' as const }))

export const CORRECTED: readonly Mutant[] = [
  oneBug(1, 'a file sends its own value over one that was set right', 'sync/plan/records/corrected.ts', [
    "const holding = findings.filter(({ judged }) => judged.kind === 'holds')",
    "const holding = findings.filter(({ judged }) => judged.kind === 'ended')",
  ]),
  oneBug(
    412,
    'what is on its way settles a record that was set right',
    'store/journal/contacts/corrections.ts',
    [
      "SET fingerprint = '' WHERE pipeline = @pipeline AND key = @key",
      "SET fingerprint = '' WHERE pipeline = @pipeline AND key = @key AND id < 0",
    ],
  ),
].map((mutant) => ({ ...mutant, kind: 'corrected' as const }))
