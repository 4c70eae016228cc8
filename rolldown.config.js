// The program as it is installed: bundled, because a start of some 600 small files spends most of its time on finding
// and reading them. What is imported late stays in chunks of its own. The database driver stays outside: its binary
// lies beside it.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'rolldown'
import ts from 'typescript'

/** What the package exports has its types beside it: each of these files declares all that it exports. */
const DECLARED = {
  'source.d.ts': 'src/sources/module/types.ts',
  'contract.d.ts': 'src/app/contract/contract.ts',
  'sandbox.d.ts': 'src/app/sandbox-for-tests.ts',
  'types.d.ts': 'src/app/contract/types.ts',
}

const declarations = {
  name: 'declarations',
  generateBundle() {
    for (const [fileName, path] of Object.entries(DECLARED)) {
      const { outputText } = ts.transpileDeclaration(readFileSync(path, 'utf8'), { fileName: path })
      const source = outputText.replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'")
      this.emitFile({ type: 'asset', fileName, source })
    }
  },
}

export default defineConfig({
  input: {
    main: 'src/main.ts',
    'reader-thread': 'src/app/daemon/reader-thread.ts',
    // What the package exports.
    source: 'src/sources/module/types.ts',
    contract: 'src/app/contract/contract.ts',
    sandbox: 'src/app/sandbox-for-tests.ts',
  },
  plugins: [declarations],
  platform: 'node',
  // ssh2 tries faster code of its own (compiled), and does without where it is not there.
  external: ['better-sqlite3', 'cpu-features', /\.node$/],
  // Written as CommonJS, it asks for its own folder (for a program of Windows, beside it).
  transform: { define: { __dirname: 'import.meta.dirname' } },
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].js',
    // Flat: paths to what lies beside dist/ are the same from every chunk.
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
  },
})
