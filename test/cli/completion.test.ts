// Completion in real shells: bash always, zsh and fish where they are installed.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { places } from '../../src/cli/completion/model.ts'
import { TREE } from '../../src/cli/command-table/tree.ts'
import { MAIN } from '../support/cli.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'completion-'))
  // No key is set, a pipeline lacks everything: names are completed all the same.
  writeFileSync(
    join(folder, 'broken.yaml'),
    'service: { api_key: "${NOWHERE}" }\npipelines: { shop: { map: {} }, crm: {}, "$(reboot)": {} }\n',
  )
  writeFileSync(join(folder, 'contact-sync'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, {
    mode: 0o755,
  })
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(folder, shell), program('completion', shell))
})
afterAll(() => rmSync(folder, { recursive: true }))

const program = (...args: string[]): string => String(execFileSync(process.execPath, [MAIN, ...args]))
const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

function run(shell: string, script: string): string {
  const { stdout, stderr, status } = spawnSync(
    shell,
    [...(shell === 'bash' ? ['--norc'] : []), '-c', script],
    {
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        HOME: folder,
        CONTACT_SYNC_CONFIG: join(folder, 'broken.yaml'),
      },
    },
  )
  expect([status, String(stderr)]).toEqual([0, ''])
  return String(stdout)
}

/** What bash offers behind these words; the last one is being typed. */
function bash(...words: string[]): string[] {
  const typed = ['contact-sync', ...words].map((word) => `'${word}'`).join(' ')
  const script = `source ./bash; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _contact_sync; printf '%s\\n' "\${COMPREPLY[@]}"`
  return run('bash', script)
    .split('\n')
    .filter((line) => line !== '')
}

describe.skipIf(!isThere('bash'))('bash completes', () => {
  it('commands, groups and the commands of a group', () => {
    expect(bash('')).toEqual([...TREE.commands, ...TREE.groups].map(({ name }) => name))
    expect(bash('st')).toEqual(['start', 'streams', 'status', 'state'])
    expect(bash('rejects', '')).toEqual(['list', 'export', 'retry'])
    expect(bash('help', 'rejects', 'e')).toEqual(['export'])
    expect(bash('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  })

  it('options, and the choices of an option', () => {
    expect(bash('status', '--w')).toEqual(['--watch'])
    expect(bash('status', '-')).toEqual(['--watch', '--every', '--config', '--account', '--json', '--help'])
    expect(bash('audit', 'export', '--format', '')).toEqual(['jsonl', 'csv'])
    expect(bash('--v')).toEqual(['--version'])
  })

  it('the names of pipelines, of a configuration that is not valid too, and never anything else', () => {
    expect(bash('run', '')).toEqual(['shop', 'crm'])
    expect(bash('run', 'shop', 'c')).toEqual(['crm'])
    expect(bash('rejects', 'list', '--json', 's')).toEqual(['shop'])
    writeFileSync(join(folder, 'other.yaml'), 'pipelines: { elsewhere: {} }\n')
    expect(bash('run', '--config', 'other.yaml', '')).toEqual(['elsewhere'])
    expect(bash('run', '--config', 'nowhere.yaml', '')).toEqual([])
  })

  it('files where files are named', () => {
    expect(bash('state', 'backup', 'bro')).toEqual(['broken.yaml'])
    expect(bash('run', '--config', 'bro')).toEqual(['broken.yaml'])
    expect(bash('sandbox', 'x')).toEqual([])
  })
})

describe.skipIf(!isThere('zsh'))('zsh completes', () => {
  /** With stand-ins for what only an interactive shell has; they say what they were given. */
  const zsh = (...words: string[]): string =>
    run(
      'zsh',
      `compdef() { :; }; _describe() { local -a l=("\${(@P)\${argv[-1]}}"); print -l -- "$l[@]"; }; compadd() { shift; print -l -- "$@"; }; _files() { print FILES; }
      source ./zsh; words=(contact-sync ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _contact_sync`,
    )
  it('commands, options, choices, pipelines and files', () => {
    for (const { name, summary } of TREE.commands) expect(zsh('')).toContain(`${name}:${summary}`)
    expect(zsh('status', '-')).toContain('--watch:')
    expect(zsh('audit', 'export', '--format', '')).toBe('jsonl\ncsv\n')
    expect(zsh('run', '')).toBe('shop\ncrm\n')
    expect(zsh('state', 'backup', '')).toBe('FILES\n')
  }, 60_000)
})

describe.skipIf(!isThere('fish'))('fish completes', () => {
  const fish = (line: string): string[] =>
    run('fish', `source ./fish; complete -C '${line}'`)
      .split('\n')
      .map((one) => one.split('\t')[0] ?? '')
      .filter((one) => one !== '')
  it('commands, options, choices, pipelines and files', () => {
    expect(fish('contact-sync ').sort()).toEqual(
      [...TREE.commands, ...TREE.groups].map(({ name }) => name).sort(),
    )
    expect(fish('contact-sync rejects ').sort()).toEqual(['export', 'list', 'retry'])
    expect(fish('contact-sync status --w')).toEqual(['--watch'])
    expect(fish('contact-sync audit export --format ').sort()).toEqual(['csv', 'jsonl'])
    expect(fish('contact-sync run ').sort()).toEqual(['crm', 'shop'])
    expect(fish('contact-sync state backup bro')).toEqual(['broken.yaml'])
  }, 60_000)
})

it('every script has every place', () => {
  const all = places(TREE)
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = readFileSync(join(folder, shell), 'utf8')
    for (const { path, options } of all) {
      expect(script).toContain(`'${path}`.slice(0, -1))
      for (const { word } of options) expect(script).toContain(word.slice(2))
    }
  }
})
