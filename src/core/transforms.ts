import type { TransformCall } from './settings.ts'
export function compileTransforms(calls: readonly TransformCall[]): (value: string) => string {
  const steps = calls.map(
    ({ name }) =>
      (v: string) =>
        name === 'upper' ? v.toUpperCase() : name === 'lower' ? v.toLowerCase() : v,
  )
  return (value) => steps.reduce((result, step) => step(result), value)
}
