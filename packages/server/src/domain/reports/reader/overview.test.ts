import { createReadStream, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { data, entries } from '../../../testing/models/report-facts.ts'
import { formatOf } from '../formats/formats.ts'
import { type Document, openDocument } from './document.ts'
import type { ItemPath } from './item-paths.ts'

const folder = new URL('../formats/', import.meta.url)
const fixtures = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.includes('/fixtures/') && !name.endsWith('/fixtures'))
  .map((name) => ({ file: name, url: new URL(name, folder) }))
const collected = entries.map(({ file }) => ({ file, url: new URL(file, data) }))

const documentOf = (text: string): Document =>
  openDocument(async function* () {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
  })

const pathsOf = (root: unknown): readonly ItemPath[] | undefined => {
  const format = root === undefined ? undefined : formatOf(root, {})
  return format && [...format.items, ...(format.parts ?? []), ...(format.omits ?? [])]
}

/** Reads the same in two passes. Undefined if that fails or the root has another format than the beginning. */
async function inTwoPasses(document: Document, paths: readonly ItemPath[] | undefined) {
  const root = await document.survey().catch(() => undefined)
  return paths && root !== undefined ? { root, context: await document.context(paths) } : undefined
}

describe('one pass returns the same as two:', () => {
  test.for([...fixtures, ...collected])('$file', async ({ url }) => {
    const document = openDocument(() => createReadStream(url))
    let paths: readonly ItemPath[] | undefined
    const overview = await document.overview((root) => (paths = pathsOf(root)))
    if (overview) expect(overview).toEqual(await inTwoPasses(document, paths))
  })
})

test('the beginning of a report is enough', async () => {
  const items = '[{"a": [1, {}]}, 2, 3]'
  for (const [text, root] of [
    [
      `{"version": "15.0.0", "vulnerabilities": ${items}, "scan": {"type": "sast"}}`,
      ['version', 'vulnerabilities', 'scan'],
    ],
    [
      `{"scan": {"type": "sast"}, "version": "15.0.0", "vulnerabilities": ${items}}`,
      ['scan', 'version', 'vulnerabilities'],
    ],
  ] as const) {
    const overview = await openDocument(async function* () {
      yield Buffer.from(text)
    }).overview(pathsOf)
    expect(Object.keys(overview?.root ?? {})).toEqual(root)
    expect(overview?.context.rest.value).toMatchObject({ scan: { type: 'sast' }, vulnerabilities: [] })
    expect([...(overview?.context.firsts.values() ?? [])]).toEqual([{ a: [1, {}] }])
  }
})

test.each([
  ['a list', '[{"scan": 1}]'],
  ['no JSON', '{"scan": {}, "vulnerabilities": [1, 2, }'],
  ['a cut off text', '{"scan": {}, "vulnerabilities": [1, 2'],
  ['no bracket', 'scan'],
  ['nothing', ''],
  ['another format', '{"something": [1]}'],
])('two passes are needed for %s', async (_, text) => {
  expect(await documentOf(text).overview(pathsOf)).toBeUndefined()
})
