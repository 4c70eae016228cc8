// The program as it is installed: bundled, because a start of some 600 small files spends most of its time on finding
// and reading them. What is imported late stays in chunks of its own. The database driver stays outside: its binary
// lies beside it.
import { defineConfig } from 'rolldown'

export default defineConfig({
  input: { main: 'src/main.ts', 'reader-thread': 'src/app/daemon/reader-thread.ts' },
  platform: 'node',
  external: ['better-sqlite3'],
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].js',
    // Flat: paths to what lies beside dist/ are the same from every chunk.
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
  },
})
