// `test`: the tests that stand in the configuration, run against its mappings. Nothing else is read or asked.
import { mappingTestDifferences, type TestDifference } from '../../core/mapping/mapping-test.ts'
import { loadRuleKit } from '../../core/mapping/values/rule-kit.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { plural } from '../../core/words/format.ts'
import { systemClock as clock } from '../../system.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { chosenPipelines, commandSettings } from '../settings.ts'

interface Tested {
  readonly pipeline: string
  readonly passed: number
  readonly failed: readonly { readonly name: string; readonly differences: readonly TestDifference[] }[]
}

async function testPipeline(pipeline: PipelineSettings): Promise<Tested> {
  const kit = await loadRuleKit(pipeline, { writtenAt: clock.now() })
  const tests = (pipeline.tests ?? []).map((test) => ({
    name: test.name,
    differences: mappingTestDifferences(pipeline, test, kit),
  }))
  const failed = tests.filter(({ differences }) => differences.length > 0)
  return { pipeline: pipeline.name, passed: tests.length - failed.length, failed }
}

function testedText({ pipeline, passed, failed }: Tested): readonly string[] {
  if (passed + failed.length === 0) return [`${pipeline}: no tests`]
  if (failed.length === 0) return [`${pipeline}: ${plural(passed, 'test')} passed`]
  return [
    `${pipeline}: ${failed.length} of ${plural(passed + failed.length, 'test')} failed`,
    ...failed.flatMap(({ name, differences }) => [
      `  ${name}`,
      ...differences.map(({ of, expected, got }) => `    ${of}: expected ${expected}, got ${got}`),
    ]),
  ]
}

export async function testMappings(
  io: Io,
  options: CommonOptions,
  names: readonly string[],
): Promise<number> {
  const settings = await commandSettings(io, options, { withoutSecrets: 'all' })
  const tested: Tested[] = []
  for (const pipeline of chosenPipelines(settings, names)) tested.push(await testPipeline(pipeline))
  const isPassed = tested.every(({ failed }) => failed.length === 0)
  if (options.json === true) printJson(io, { ok: isPassed, pipelines: tested })
  else for (const one of tested) print(io, testedText(one))
  return isPassed ? EXIT.done : EXIT.partial
}
