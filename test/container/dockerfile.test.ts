// The Dockerfile as a text: a linter's word on it, and what a linter does not know. That it builds and runs is asked by
// .ci/container.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { run as lint } from 'dockerfilelint'
import { describe, expect, it } from 'vitest'
import { SANDBOX_COMMANDS } from '../../src/cli/command-table/service.ts'

const top = resolve(import.meta.dirname, '../..')
const text = readFileSync(join(top, 'Dockerfile'), 'utf8')
const lines = text
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line))
const ignored = readFileSync(join(top, '.dockerignore'), 'utf8').trim().split('\n')

const [, base = ''] = /^ARG BASE=(.*)$/m.exec(text) ?? []
/** The linter knows no build arguments and no stages in FROM, and takes --start-period for --start. */
const forTheLinter = text
  .replaceAll('FROM ${BASE}', `FROM ${base}`)
  .replace('FROM scratch AS program', 'FROM scratch')
  .replaceAll('FROM program', 'FROM program:1')
  .replaceAll(/--start-period=\d+s /g, '')

const findings = (dockerfile: string): string[] =>
  lint(top, dockerfile).map(({ title, line }) => `${line}: ${title}`)

describe('the Dockerfile', () => {
  it('gives the linter nothing to say', () => expect(findings(forTheLinter)).toEqual([]))

  it('would be found out', () => {
    expect(
      findings('FROM node:latest\nRUN apt-get install curl\nEXPOSE http\nCMD ["a"]\nCMD ["b"]\n').length,
    ).toBeGreaterThan(2)
  })

  it('has a base that is pinned to a version, and nothing of it in the last stage', () => {
    expect(text).toMatch(/^ARG BASE=docker\.io\/library\/node:24\.\d+\.\d+-[a-z]+-slim$/m)
    expect(lines.filter((line) => line.startsWith('FROM'))).toEqual([
      'FROM ${BASE} AS build',
      'FROM ${BASE} AS gather',
      'FROM scratch AS program',
      'FROM program AS sandbox',
      'FROM program',
    ])
  })

  it('runs everything in exec form, without a shell', () => {
    const commands = lines.filter((line) => /^(RUN|CMD|ENTRYPOINT|HEALTHCHECK)/.test(line))
    expect(commands.length).toBeGreaterThan(6)
    for (const command of commands) {
      const list: unknown = JSON.parse(command.slice(command.indexOf('[')))
      expect(list, command).toEqual(expect.arrayContaining([expect.any(String)]))
    }
  })

  it('has a stage for the sandbox, with options that the command has and the port that is asked', () => {
    const [, stage = ''] = /^FROM program AS sandbox\n(.*?)^FROM program$/ms.exec(text) ?? []
    const [, list = ''] = /^CMD (\[.*\])$/m.exec(stage) ?? []
    const [command, ...options] = JSON.parse(list) as string[]
    const known = SANDBOX_COMMANDS.find(({ name }) => name === command)?.options ?? []
    const flags = options.filter((option) => option.startsWith('--'))
    expect(flags.filter((flag) => !known.some((one) => one.flags.split(' ')[0] === flag))).toEqual([])
    const port = options[options.indexOf('--port') + 1] ?? ''
    expect(stage).toContain(`EXPOSE ${port}\n`)
    expect(stage).toContain(`http://127.0.0.1:${port}/openapi.json`)
  })

  it('copies what is there and let through, and nothing by a wildcard', () => {
    const sources = lines
      .filter((line) => line.startsWith('COPY') && !line.includes('--from'))
      .flatMap((line) => line.split(/\s+/).slice(1, -1))
    expect(sources).toContain('src')
    for (const source of sources) {
      expect(existsSync(join(top, source)), source).toBe(true)
      expect(ignored, source).toContain(`!${source}`)
    }
    expect(ignored[0]).toBe('*')
  })
})
