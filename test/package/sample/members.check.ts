import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ContractPerson, type ContractSource, sourceContract } from 'contact-sync/contract'

function open(folder: string): ContractSource {
  const file = join(folder, 'members.json')
  let last: readonly ContractPerson[] = []
  const write = (members: readonly object[]): void => writeFileSync(file, JSON.stringify(members))
  copyFileSync(join(import.meta.dirname, 'members.ts'), join(folder, 'members.ts'))
  return {
    source: { type: 'module', path: './members.ts', options: { file } },
    put(people) {
      last = people
      write(people)
    },
    breakAfter(records) {
      if (records === undefined) return write(last)
      const before = last.toSorted((a, b) => a.changed - b.changed).slice(0, records)
      write([...before, { id: 'BREAK', changed: Number.MAX_SAFE_INTEGER }])
    },
  }
}

for (const { name, check } of sourceContract(open)) test(name, check)
