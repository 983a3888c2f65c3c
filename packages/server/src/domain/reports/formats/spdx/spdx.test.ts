import { createReadStream } from 'node:fs'
import { expect, test } from 'vitest'
import { asFile, readRejected } from '../../../../testing/reports/read-report-file.ts'
import type { ReportedDependency } from '../../../dependencies/dependency.ts'
import { readReport } from '../../reader/read-report.ts'

async function inventoryOf(open: Parameters<typeof readReport>[0]) {
  const read = await readReport(open, { projectId: 42, strict: true })
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.reading
}
const fixture = (name: string) => () => createReadStream(new URL(`./fixtures/${name}`, import.meta.url))
const shown = ({ name, version, packageUrl, packageManager, licenses }: ReportedDependency) => [
  name,
  version,
  packageUrl,
  packageManager,
  licenses.join(),
]

test('packages are read with their licenses, without the image itself', async () => {
  const { inventory, header } = await inventoryOf(fixture('version-2.3.json'))
  expect(header).toMatchObject({
    format: 'spdx',
    version: '2.3',
    scanner: { externalId: 'example-sbom', version: '2.1.0' },
  })
  expect(inventory?.source).toBe('registry.example.com/shop')
  expect(inventory?.dependencies.map(shown)).toEqual([
    ['@example/parser', '1.2.0', 'pkg:npm/%40example/parser@1.2.0', 'npm', 'MIT'],
    ['zlib1g', '1:1.2.13', 'pkg:deb/debian/zlib1g@1:1.2.13', 'apt', 'Zlib'],
    ['plain', '', undefined, '', ''],
  ])
})

test('a graph of version 3 is read in any order', async () => {
  const { inventory, header } = await inventoryOf(fixture('version-3.0.json'))
  expect(header).toMatchObject({ format: 'spdx', version: '3.0' })
  expect(inventory?.dependencies.map(shown)).toEqual([
    ['@example/parser', '1.2.0', 'pkg:npm/%40example/parser@1.2.0', 'npm', 'MIT'],
  ])
})

test('a document of another version is rejected', async () => {
  const problems = await readRejected(asFile({ spdxVersion: 'SPDX-1.2', name: 'shop', packages: [] }))
  expect(JSON.stringify(problems)).toContain('spdxVersion is 1.2')
})
