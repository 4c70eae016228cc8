// By what a table that was moved is compared with what it was.
import { createHash } from 'node:crypto'

/** The same for the same rows in any order: a sum over the digests of rows. */
export function createRowsPrint() {
  let sum = 0n
  let rows = 0
  return {
    add(row: readonly unknown[]): void {
      const cells = row.map((cell) =>
        cell instanceof Uint8Array ? `x${Buffer.from(cell).toString('hex')}` : cell,
      )
      sum += createHash('sha256').update(JSON.stringify(cells)).digest().readBigUInt64BE()
      rows += 1
    },
    end: () => ({ rows, print: BigInt.asUintN(64, sum).toString(16) }),
  }
}
