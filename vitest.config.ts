import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // CLI tests start the built bin; two cores are the smallest machine we promise.
    testTimeout: 30_000,
  },
})
