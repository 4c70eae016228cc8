// What every source that is asked for its records keeps to: passed, cut off, killed in between, told twice. A kind passes it
// by saying how its records are put there, and how a fetch is made to break.
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import type { StateStore } from '../../src/core/state-store.ts'
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { openTemporaryState } from '../../src/store/state-store.ts'
import { systemClock } from '../../src/system.ts'
import { GUARDS } from '../support/pipeline.ts'
import { type Line, testLine } from '../support/line.ts'
import { type MemoryService, memoryService } from '../support/memory-service.ts'

export interface Row {
  readonly no: string
  readonly mail: string
  readonly first: string
  readonly last: string
  readonly phone: string
  /** Counts up with every change. */
  readonly changed: number
}

export interface PullWorld {
  /** The kind's own options, as they are written in the configuration. */
  readonly options: Readonly<Record<string, unknown>>
  /** What the source has from now on. */
  put(rows: readonly Row[]): Promise<void> | void
  /** Fetches break after so many records; undefined: they do not. */
  breakAfter(records: number | undefined): void
  close(): Promise<void> | void
}

const person = (no: number, changed = 1, first = `First${no}`): Row => ({
  ...{ no: `N${no}`, mail: `p${no}@example.com`, first, last: `Last${no}`, phone: `030 ${no}`, changed },
})

/** `type` is a kind of the registry. */
export function describePull(
  type: string,
  open: (folder: string) => Promise<PullWorld> | PullWorld,
  { breaks }: { breaks: boolean } = { breaks: true },
): void {
  describe(`source ${type}, asked for its records`, () => {
    let home: string
    let folder: string
    let world: PullWorld
    let service: MemoryService
    let state: StateStore
    let runs = 0

    beforeEach(async () => {
      home = mkdtempSync(join(tmpdir(), 'pull-'))
      folder = join(home, 'spool', 'shop')
      world = await open(home)
      service = memoryService()
      state = openTemporaryState()
    })
    afterEach(async () => {
      await world.close()
      await state.close()
      rmSync(home, { recursive: true, force: true })
    })

    const settings = () => ({
      type,
      null_values: [],
      ...{ folder, sparse: false, fetch: SOURCE_KINDS[type]!.schema.parse(world.options) },
    })
    /** A process of its own over the same state, folder and service. */
    const line = (changes: Partial<PipelineSettings> = {}, over: StateStore = state): Line =>
      testLine({
        pipeline: { source: settings(), ...changes },
        source: createSource(settings(), { clock: systemClock }),
        ...{ state: over, service, runs: (runs += 1) },
      })
    const full = {
      mode: 'full',
      on_missing: 'delete',
      guards: { ...GUARDS, max_deletes: { share: 1 } },
    } as const
    const firsts = (): unknown[] => [...service.contacts.values()].map((one) => one['first_name']).sort()
    const files = (): string[] => readdirSync(folder).sort()

    it('hands over every record; asked again, nothing is written', async () => {
      await world.put([person(1), person(2), person(3)])
      expect(await line().run()).toMatchObject({ status: 'ok', created: 3, files: [{ status: 'done' }] })
      expect(files()).toEqual(['processed'])
      expect(statSync(folder).mode & 0o777).toBe(0o700)
      const [kept = ''] = readdirSync(join(folder, 'processed'))
      expect(statSync(join(folder, 'processed', kept)).mode & 0o777).toBe(0o600)
      expect(await line().run()).toMatchObject({ status: 'ok', created: 0, updated: 0 })
      expect(firsts()).toEqual(['First1', 'First2', 'First3'])
    })

    it('hands over what has changed since', async () => {
      await world.put([person(1), person(2)])
      await line().run()
      await world.put([person(1), person(2, 2, 'Other'), person(3, 3)])
      expect(await line().run()).toMatchObject({ status: 'ok', created: 1, updated: 1 })
      expect(firsts()).toEqual(['First1', 'First3', 'Other'])
    })

    it('a plan fetches, and leaves no trace', async () => {
      await world.put([person(1)])
      const { totals } = await line().preview()
      expect(totals).toMatchObject({ read: 1, created: 1 })
      expect(await state.cursor('shop')).toBeUndefined()
    })

    it('a full one says who has gone', async () => {
      await world.put([person(1), person(2), person(3)])
      await line(full).run()
      await world.put([person(1), person(3)])
      expect(await line(full).run()).toMatchObject({ deleted: 1 })
      expect(firsts()).toEqual(['First1', 'First3'])
    })

    it('a full one without records is held, and deletes nobody', async () => {
      await world.put([person(1)])
      await line(full).run()
      await world.put([])
      expect(await line(full).run()).toMatchObject({ status: 'held', deleted: 0 })
      expect(firsts()).toEqual(['First1'])
    })

    describe.runIf(breaks)('broken off in the middle', () => {
      it('it reports that, takes what came, and deletes nobody; the next fetch brings the rest', async () => {
        await world.put([person(1), person(2), person(3)])
        await line(full).run()
        await world.put([person(1, 0, 'New'), person(2), person(3)])
        world.breakAfter(1)
        const broken = await line(full).run()
        expect(broken).toMatchObject({ status: 'partial', deleted: 0, updated: 1 })
        expect(broken.error).toMatch(/the 1 records before that are taken/)
        expect(firsts()).toEqual(['First2', 'First3', 'New'])
        world.breakAfter(undefined)
        expect(await line(full).run()).toMatchObject({ status: 'ok', deleted: 0, unchanged: 3 })
      })

      it('the cursor stays before what did not come', async () => {
        await world.put([person(1)])
        await line().run()
        await world.put([person(1), person(2, 2), person(3, 3)])
        world.breakAfter(1)
        expect(await line().run()).toMatchObject({ status: 'partial' })
        world.breakAfter(undefined)
        await line().run()
        expect(firsts()).toEqual(['First1', 'First2', 'First3'])
      })

      it('before the first record: nothing is spooled', async () => {
        await world.put([person(1)])
        world.breakAfter(0)
        const result = await line(full).run()
        expect(result).toMatchObject({ status: 'partial', read: 0 })
        expect(result.files[0]?.code).toMatch(/^SOURCE_/)
        expect(files()).toEqual([])
      })
    })

    describe('killed', () => {
      const dying = (method: keyof StateStore): StateStore =>
        new Proxy(state, {
          get: (target, name) =>
            name === method
              ? () => Promise.reject(new Error('killed'))
              : (Reflect.get(target, name) as unknown),
        })

      it('while it fetched: what was half written goes, and everything is fetched', async () => {
        await world.put([person(1), person(2)])
        await line().run()
        writeFileSync(join(folder, '.fetch-20260101-000000.jsonl.part'), '{"no": "half')
        writeFileSync(join(folder, '.fetch-20260101-000000.jsonl.fetch'), '{"records":1}')
        await world.put([person(1), person(2), person(3, 2)])
        expect(await line().run()).toMatchObject({ status: 'ok', created: 1 })
        expect(files()).toEqual(['processed'])
      })

      it.each(['beginInput', 'commitPlan', 'planTotals', 'takeToSend', 'endInput'] as const)(
        'at %s: nothing is lost or doubled, and the cursor does not move before the end',
        async (method) => {
          await world.put([person(1), person(2)])
          await expect(line({}, dying(method)).run()).rejects.toThrow('killed')
          expect(await state.cursor('shop')).toBeUndefined()
          // What waits is taken as it was fetched.
          await world.put([person(1), person(2), person(3, 2)])
          await line().run()
          await line().run()
          expect(firsts()).toEqual(['First1', 'First2', 'First3'])
        },
      )

      it('with a part that waits: a full pipeline takes it for no whole', async () => {
        await world.put([person(1), person(2)])
        await line(full).run()
        await world.put([person(1, 2, 'New')])
        // An incremental fetch waits, and the pipeline has become a full one since.
        await expect(line({}, dying('beginInput')).run()).rejects.toThrow('killed')
        expect(await line(full).run()).toMatchObject({ deleted: 0, updated: 1 })
      })

      it('with a part that waits: the cursor of another state, or of an older one, does not move over what lies before it', async () => {
        await world.put([person(1), person(2, 2)])
        await line().run()
        await world.put([person(1), person(2, 2), person(3, 3)])
        await expect(line({}, dying('beginInput')).run()).rejects.toThrow('killed')
        service.contacts.clear()
        const other = openTemporaryState()
        await line({}, other).run()
        await line({}, other).run()
        await other.close()
        expect(firsts()).toEqual(['First1', 'First2', 'First3'])
      })

      it.each([['full', full] as const, ['incremental', {}] as const])(
        'with a fetch that waits while another worker goes on: %s, its older values do not stay, and nobody is missing',
        async (_mode, how) => {
          await world.put([person(1)])
          await line(how).run()
          await world.put([person(1), person(2, 2, 'Older')])
          await expect(line(how, dying('beginInput')).run()).rejects.toThrow('killed')
          const own = `${folder}-of-the-other`
          renameSync(folder, own)
          await world.put([person(1), person(2, 3, 'Newer'), person(3, 3)])
          const other = line(how)
          other.clock.advance(60_000)
          expect(await other.run()).toMatchObject({ created: 2 })
          rmSync(folder, { recursive: true })
          renameSync(own, folder)
          const refused = { status: 'partial', read: 0, deleted: 0, files: [{ code: 'INPUT_OUTDATED' }] }
          expect(await line(how).run()).toMatchObject(refused)
          expect(firsts()).toEqual(['First1', 'First3', 'Newer'])
          expect(await line(how).run()).toMatchObject({ status: 'ok', deleted: 0, updated: 0 })
          expect(firsts()).toEqual(['First1', 'First3', 'Newer'])
        },
      )
    })

    it('ended by a signal, a fetch leaves nothing', async () => {
      await world.put([person(1)])
      const one = line()
      one.abort.abort()
      await one.run()
      expect(readdirSync(home).includes('spool') ? files() : []).toEqual([])
    })
  })
}
