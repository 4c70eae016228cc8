// The sandbox over TLS: its certificate is one that strict clients take once they trust it, and no other.
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createCertificate } from '../../src/sandbox/certificate.ts'
import { startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'

const NOW = Date.UTC(2030, 1, 28, 12)

it('the certificate is for the names and addresses given, from the day before for a year', () => {
  const names = ['localhost', '127.0.0.1', '::1', 'fe80::1:2', 'sandbox.example']
  const { certificate, privateKey, fingerprint } = createCertificate(names, NOW)
  const read = new X509Certificate(certificate)
  expect(read.subjectAltName?.split(', ')).toEqual([
    'DNS:localhost',
    'IP Address:127.0.0.1',
    'IP Address:0:0:0:0:0:0:0:1',
    'IP Address:FE80:0:0:0:0:0:1:2',
    'DNS:sandbox.example',
  ])
  expect([read.validFromDate, read.validToDate].map((date) => date.toISOString().slice(0, 10))).toEqual([
    '2030-02-27',
    '2031-04-01',
  ])
  expect(read.ca).toBe(true)
  expect(read.verify(read.publicKey)).toBe(true)
  expect(read.fingerprint256).toBe(fingerprint)
  expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----/)
})

it('a year beyond those of two digits is written in four', () => {
  const { certificate } = createCertificate(['localhost'], Date.UTC(2049, 6, 1))
  expect(new X509Certificate(certificate).validToDate.getUTCFullYear()).toBe(2050)
})

it('no two certificates have the same number', () => {
  const numbers = [1, 2].map(
    () => new X509Certificate(createCertificate(['a'], NOW).certificate).serialNumber,
  )
  expect(new Set(numbers).size).toBe(2)
})

it('is what OpenSSL takes in its strictest way, where it is installed', async ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'))
  const sandbox = await startSandbox({ port: 0, apiKey: 'k', clock: systemClock, tls: { names: [] } })
  try {
    const file = join(folder, 'ca.pem')
    writeFileSync(file, sandbox.tls?.certificate ?? '')
    const verified = await promisify(execFile)('openssl', [
      'verify',
      '-x509_strict',
      '-CAfile',
      file,
      file,
    ]).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return skip('openssl is not installed')
      throw error
    })
    expect(verified.stdout).toBe(`${file}: OK\n`)
  } finally {
    await sandbox.close()
    rmSync(folder, { recursive: true })
  }
})
