// The browser tests are a run of their own (npm run browser): they need Chromium, and take their time.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/browser/*.browser.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
})
