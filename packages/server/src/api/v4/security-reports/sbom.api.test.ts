import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSbom, type LockFile } from '../../../../../../scripts/sbom.ts'
import { formWithFile } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'

const lock = JSON.parse(
  readFileSync(new URL('../../../../../../package-lock.json', import.meta.url), 'utf8'),
) as LockFile
// The document is built in this repository.
const sbom = createSbom(lock, '0.2.0') as { components: { name: string; version: string; purl: string }[] }

test('the bill of materials of a release lists what is bundled and installed, and nothing for development', () => {
  const names = sbom.components.map(({ name }) => name)
  for (const name of ['fastify', 'react', 'commander', '@aws-sdk/client-s3', '@node-rs/argon2', 'better-sqlite3']) {
    expect(names).toContain(name)
  }
  for (const name of ['vitest', 'typescript', 'esbuild', '@alcove/client']) expect(names).not.toContain(name)
  expect(sbom.components.find(({ name }) => name === '@node-rs/argon2')?.purl).toMatch(
    /^pkg:npm\/%40node-rs\/argon2@\d+\.\d+\.\d+$/,
  )
  expect(createSbom(lock, '0.2.0')).toEqual(sbom)
})

test('the bill of materials of a release can be imported as a CycloneDX report', async () => {
  const server = await startServer()
  const project = await server.project('acme/alcove')
  const developer = await server.as('developer', project)

  const form = formWithFile('file', 'alcove.cdx.json', JSON.stringify(sbom))
  const reply = await developer.post(`/projects/${project.id}/security_reports`, form)
  expect(reply).toMatchObject({ status: 201, body: { format: 'cyclonedx', status: 'done', errors: [] } })
})
