import Type from 'typebox'
import { expect, test } from 'vitest'
import type { Changes } from '../../db/db.ts'
import { type RowSource, renderRows } from './row-cache.ts'

const view = Type.Object({ text: Type.String() })

function openSource(name = 'row') {
  let version: number | undefined = 1
  let text = 'old'
  const reads: { keys: readonly number[]; end(): void }[] = []
  const changes: Changes = { version: () => version, synchronize: () => undefined, watch: () => () => {} }
  const source: RowSource<typeof view> = {
    name,
    view,
    tables: ['rows'],
    listVersions: async () => new Map(),
    async load(keys) {
      const found = text
      await new Promise<void>((resolve) => reads.push({ keys, end: resolve }))
      return keys.map((key) => ({ key, version: String(version), view: { text: `${found} ${key}` } }))
    },
  }
  return {
    reads,
    render: async (...keys: number[]) => (await renderRows({ changes }, source, keys)).map(({ json }) => String(json)),
    change(to: string, newVersion: number | undefined) {
      text = to
      version = newVersion
    },
  }
}

const started = () => new Promise(setImmediate)

test('concurrent requests share a read, and each receives its rows in its order', async () => {
  const { reads, render } = openSource()
  const rendered = Promise.all([render(2, 1), render(3), render(1)])
  await started()
  reads[0]?.end()
  expect(await rendered).toEqual([['{"text":"old 2"}', '{"text":"old 1"}'], ['{"text":"old 3"}'], ['{"text":"old 1"}']])
  expect(reads.map(({ keys }) => keys)).toEqual([[2, 1, 3]])
})

test.each([2, undefined])(
  'a request after a change does not share a read that has started before: version %s',
  async (version) => {
    const { reads, render, change } = openSource()
    const before = render(1)
    await started()
    change('new', version)
    const after = render(1)
    await started()
    for (const { end } of reads) end()
    expect(await before).toEqual(['{"text":"old 1"}'])
    expect(await after).toEqual(['{"text":"new 1"}'])
  },
)
