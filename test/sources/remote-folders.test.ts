// Addresses of folders on another machine, and the keys of servers: what is taken, and what is refused.
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readAddress } from '../../src/sources/remote/address.ts'
import { keyProblem, keysOfServer, knownName } from '../../src/sources/remote/sftp/known-hosts.ts'

describe('the address of a folder', () => {
  it.each([
    ['sftp://ann@files.example/exports/shop/', { host: 'files.example', port: 22, path: '/exports/shop' }],
    ['sftp://ann@Files.example:2222', { host: 'files.example', port: 2222, path: '/' }],
    ['sftp://ann@[::1]/~/in%20box', { host: '::1', path: 'in box' }],
    ['sftp://ann@files.example/~', { path: '.' }],
    ['sftp://ann%40corp@files.example/in', { user: 'ann@corp' }],
  ])('%s', (folder, parts) => {
    expect(readAddress(folder)).toMatchObject({ kind: 'sftp', ...parts })
  })

  it.each([
    ['s3://exports', ''],
    ['s3://exports/', ''],
    ['s3://my.exports-1/a%20b/c//', 'a b/c/'],
  ])('%s', (folder, prefix) => {
    expect(readAddress(folder)).toMatchObject({ kind: 's3', prefix })
  })

  it.each([
    ['s3://Ex_ports!/in', /names no bucket/],
    ['s3:///in', /names no bucket/],
    ['s3://key:secret@exports/in', /holds a password/],
    ['s3://exports/a/%2e%2E%2fb', /must not have/],
    ['sftp://ann:secret@files.example/in', /holds a password/],
    ['sftp://files.example/in', /must be a path, sftp/],
    ['ftp://ann@files.example/in', /must be a path, sftp/],
    ['sftp://ann@files.example/in?key=x', /after \? or #/],
    ['sftp://ann@files.example/%zz', /encodes no character/],
    ['sftp://ann@files example/in', /must be a path, sftp/],
  ])('refuses %s', (folder, why) => {
    const problem = readAddress(folder)
    expect(problem).toMatch(why)
    expect(problem).not.toContain('secret')
  })
})

describe('known_hosts', () => {
  const key = (text: string): string => Buffer.from(`\0\0\0\x0bssh-ed25519${text}`).toString('base64')
  const [one, other] = [key('one'), key('other')]
  const hashed = (name: string): string =>
    `|1|${Buffer.from('salt').toString('base64')}|${createHmac('sha1', 'salt').update(name).digest('base64')}`
  const verdict = (line: string, host = 'files.example', port = 22): string | undefined => {
    const name = knownName(host, port)
    return keyProblem(Buffer.from(one, 'base64'), keysOfServer(`# keys\n\n${line}\n`, name), name)
  }

  it.each([
    [`files.example ssh-ed25519 ${one} a comment`],
    [`other.example,files.example\tssh-ed25519  ${one}`],
    [`FILES.example ssh-ed25519 ${one}`],
    [`*.example,!other.example ssh-ed25519 ${one}`],
    [`file?.example ssh-ed25519 ${one}`],
    [`${hashed('files.example')} ssh-ed25519 ${one}\r`],
    [`files.example ssh-ed25519 ${other}\nfiles.example ssh-ed25519 ${one}`],
  ])('takes a key that stands in %j', (line) => {
    expect(verdict(line)).toBeUndefined()
  })

  it.each([
    ['', /has no key of files\.example; the server shows ssh-ed25519 SHA256:/],
    [`filesxexample ssh-ed25519 ${one}`, /has no key/],
    [`*,!files.example ssh-ed25519 ${one}`, /has no key/],
    [`${hashed('others.example')} ssh-ed25519 ${one}`, /has no key/],
    [`[files.example]:2222 ssh-ed25519 ${one}`, /has no key/],
    [`@cert-authority files.example ssh-ed25519 ${one}`, /has no key/],
    [`# files.example ssh-ed25519 ${one}`, /has no key/],
    [`files.example ssh-ed25519 ${other}`, /has changed: it shows .* and known_hosts has .* on line 3/],
    [`files.example ssh-ed25519 ${one}\n@revoked * ssh-ed25519 ${one}`, /has been revoked/],
  ])('refuses a key where it has %j', (line, why) => {
    expect(verdict(line)).toMatch(why)
  })

  it('knows a server at another port by that', () => {
    expect(verdict(`[files.example]:2222 ssh-ed25519 ${one}`, 'files.example', 2222)).toBeUndefined()
    expect(verdict(`files.example ssh-ed25519 ${one}`, 'files.example', 2222)).toMatch(/has no key/)
  })
})
