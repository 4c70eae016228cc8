// The tests that hold the decisions, for `npm run mutate` alone: pure, and quick enough to be run for each mutant.
import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { include: ['test/core/**/*.test.ts'], pool: 'forks' } })
