import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess, temporaryFolder } from './process.ts'

test('the server offers its command line as a package of one file without dependencies', async () => {
  const server = await startProcess()
  const folder = await temporaryFolder()
  const reply = await fetch(`${server.url}/-/alcove.tgz`)
  expect(reply.headers.get('content-type')).toBe('application/gzip')
  writeFileSync(join(folder, 'alcove.tgz'), Buffer.from(await reply.arrayBuffer()))
  execFileSync('tar', ['-xzf', 'alcove.tgz'], { cwd: folder })
  const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
  const program = join(folder, 'package', manifest.bin.alcove)
  const run = (...args: string[]) => execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' })
  expect(manifest).not.toHaveProperty('dependencies')
  expect(run('--version')).toContain(manifest.version)
  expect(run('upload', '--help')).toContain('--fail-on')

  const etag = reply.headers.get('etag') ?? ''
  const again = await fetch(`${server.url}/-/alcove.tgz`, { headers: { 'if-none-match': etag } })
  expect(again.status).toBe(304)
})
