// The program as it is installed: bundled, because a start of some 600 small files spends most of its time on finding
// and reading them. What a common command needs at once are a few files; what is imported late stays in chunks of its own.
// The database driver stays outside: its binary lies beside it.
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
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

/** `{ join, sep as s }` -> [['join'], ['sep', 's']]; none where it takes a part as a whole. */
const namesIn = (bindings) =>
  (/^\{(.*)\}$/.exec(bindings)?.[1].split(',') ?? []).map((one) => one.trim().split(/\s+as\s+/))

/** `join, sep as s` -> `join, sep: s`. */
const destructured = (names) => names.replaceAll(/\s+as\s+/g, ': ')

/** Parts of Node that take milliseconds to load, and that many a command never calls. */
const LATE = [
  'node:crypto',
  'node:http',
  'node:https',
  'node:net',
  'node:stream/promises',
  'node:timers/promises',
  'node:worker_threads',
  'node:zlib',
]

const isFunction = ([of], name) => typeof process.getBuiltinModule(name)[of] === 'function'

/** Functions and classes of a part of Node, which the first call of one of them loads. */
function takenLate(names, name) {
  const part = `late_${name.replaceAll(/\W/g, '_')}`
  const taken = names.map(([of, as = of]) => {
    const call = `(${part} ??= globalThis.process.getBuiltinModule("${name}")).${of}(...given)`
    return `function ${as}(...given) { return new.target ? new ${call} : ${call}; }`
  })
  return [`let ${part};`, ...taken].join(' ')
}

/** The statement that takes the same from a part of Node without importing it. */
function takenDirectly(bindings, name) {
  const late = LATE.includes(name) ? namesIn(bindings) : []
  if (late.length > 0 && late.every((one) => isFunction(one, name))) return takenLate(late, name)
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

/** What is called by itself: by operators, by a user's tests, as a thread. */
const BEGINNINGS = [
  'cli/quick',
  'cli/command-table/tree',
  'cli/commands/help',
  'cli/commands/completion',
  'cli/completion/bash',
  'cli/completion/zsh',
  'cli/pipeline-names',
  'cli/program',
  'cli/commands/audit',
  'cli/commands/check',
  'cli/commands/held',
  'cli/commands/plan',
  'cli/commands/status',
  'cli/commands/run',
  'app/daemon/reader-thread',
  'store/postgres/connection-thread',
  'app/contract/contract',
  'app/sandbox-for-tests',
].map((name) => join(import.meta.dirname, `src/${name}.ts`))

/** By module: the places of the beginnings that need it at once. */
const neededBy = new Map()

const needs = {
  name: 'needs',
  buildEnd() {
    // One that was moved: its start would become slower, and nobody would know why.
    const gone = BEGINNINGS.filter((id) => this.getModuleInfo(id) === null)
    if (gone.length > 0) throw new Error(`not in the program: ${gone.join(', ')}`)
    const isNoted = (id, place) => neededBy.get(id)?.includes(place)
    const note = (id, place) => {
      if (isNoted(id, place)) return
      neededBy.set(id, [...(neededBy.get(id) ?? []), place])
      for (const needed of this.getModuleInfo(id)?.importedIds ?? []) note(needed, place)
    }
    BEGINNINGS.forEach(note)
  },
}

/**
 * Modules that the same beginnings need are one file: to find and to read each of a hundred is a good part of a start. What a
 * module needs is needed by as many or more: those of most are put together first.
 */
const groups = BEGINNINGS.map((_, index) => index + 1).map((count) => ({
  debugName: `needed by ${count}`,
  priority: count,
  name: (id) => (neededBy.get(id)?.length === count ? `part-${neededBy.get(id).join('-')}` : null),
}))

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
  plugins: [builtins, declarations, needs],
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
    comments: { jsdoc: false, annotation: false },
    codeSplitting: { groups },
  },
})
