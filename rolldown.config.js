// The program as it is installed: bundled, because a start of some 600 small files spends most of its time on finding
// and reading them. What is imported late stays in chunks of its own. The database driver stays outside: its binary
// lies beside it.
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
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

/** `join, sep as s` -> `join, sep: s`. */
const destructured = (names) => names.replaceAll(/\s+as\s+/g, ': ')

/** The statement that takes the same from a part of Node without importing it. */
function takenDirectly(bindings, name) {
  const part = `globalThis.process.getBuiltinModule("${name}")`
  // commander, which begins every command, would start programs by it, and there are none.
  if (name === 'node:child_process' && /^\w+$/.test(bindings))
    return `const ${bindings} = { spawn: (...given) => ${part}.spawn(...given) };`
  const [, own, space, names] =
    /^(?:([\w$]+)(?:, )?)?(?:\* as ([\w$]+))?(\{(?!.*\bdefault\b).*\})?$/.exec(bindings) ?? []
  const wanted = [own, space, names && destructured(names)].filter(Boolean)
  if (wanted.length === 0) throw new Error(`import ${bindings} from "${name}" is of an unknown form`)
  return `const ${wanted.map((one) => `${one} = ${part}`).join(', ')};`
}

/**
 * An import of a part of Node runs all of its getters, which loads streams for node:fs and the cryptography of the web for
 * node:crypto: a good part of a short command. main.ts has to begin under a Node that cannot do without.
 */
const builtins = {
  name: 'builtins',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk' && chunk.name !== 'main')
        // Line for line: the source map stays true.
        chunk.code = chunk.code.replaceAll(/^import (.+) from "([\w:/]+)";$/gm, (whole, bindings, name) =>
          isBuiltin(name) ? takenDirectly(bindings, name) : whole,
        )
  },
}

export default defineConfig({
  input: {
    main: 'src/main.ts',
    'reader-thread': 'src/app/daemon/reader-thread.ts',
    'connection-thread': 'src/store/postgres/connection-thread.ts',
    // What the package exports.
    source: 'src/sources/module/types.ts',
    contract: 'src/app/contract/contract.ts',
    sandbox: 'src/app/sandbox-for-tests.ts',
  },
  plugins: [builtins, declarations],
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
    // Not `.js`: what such a file is, is looked up in the package.json above it, for each of a hundred.
    chunkFileNames: '[name]-[hash].mjs',
    sourcemap: true,
  },
})
