import sql, { raw } from 'sql-template-tag'
import { expect, test, vi } from 'vitest'
import { testEngine } from '../../../../testing/databases/database.ts'
import { startServer } from '../../../../testing/server.ts'
import type { Deps } from '../../../deps.ts'
import { listScannerIds, upsertScanners } from '../../../findings/findings.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import type { ImportReading } from '../../reader/reading.ts'
import { withBatchTransaction } from './batch-transaction.ts'
import { compareReport } from './compare-report.ts'

async function openProject() {
  const { deps, project } = await startServer()
  const { id } = await project('acme/site')
  const insert =
    (name: string) =>
    ({ db, now }: Deps) =>
      upsertScanners(db, id, [{ externalId: name, name, vendor: '' }], now())
  const stored = async () => [...(await listScannerIds(deps.db, id, ['a', 'b', 'c'])).keys()].sort()
  return { deps, id, insert, stored }
}

test.runIf(testEngine === 'sqlite')('units are committed together while no other transaction waits', async () => {
  const { deps, id, insert, stored } = await openProject()
  await withBatchTransaction(deps, id, async ({ run, end }) => {
    await run(insert('a'))
    await run(insert('b'))
    expect(await stored()).toEqual([])
    expect(deps.db.canExtendTransaction()).toBe(true)
    const other = deps.db.run(sql`update projects set description = 'changed' where id = ${id}`)
    expect(deps.db.canExtendTransaction()).toBe(false)
    await end()
    expect(await stored()).toEqual(['a', 'b'])
    await other
    await run(insert('c'))
  })
  expect(await stored()).toEqual(['a', 'b', 'c'])
})

test('a unit is committed alone while another transaction waits, and always on PostgreSQL', async () => {
  const { deps, id, insert, stored } = await openProject()
  await withBatchTransaction(deps, id, async ({ run }) => {
    const others = [1, 2].map((n) => deps.db.run(sql`update projects set description = ${`${n}`} where id = ${id}`))
    await run(insert('a'))
    await Promise.all(others)
    expect(await stored()).toEqual(['a'])
  })
})

test('a failing unit rolls back all units since the last commit', async () => {
  const { deps, id, insert, stored } = await openProject()
  await withBatchTransaction(deps, id, async ({ run, end }) => {
    await run(insert('a'))
    await end()
    await run(insert('b'))
    const failing = run(async (deps) => {
      await insert('c')(deps)
      throw new Error('a failure')
    })
    await expect(failing).rejects.toThrow('a failure')
    expect(await stored()).toEqual(testEngine === 'sqlite' ? ['a'] : ['a', 'b'])
    await deps.db.run(sql`update projects set description = 'changed' where id = ${id}`)
    await run(insert('c'))
  })
  expect(await stored()).toEqual(testEngine === 'sqlite' ? ['a', 'c'] : ['a', 'b', 'c'])
})

test('the finished units are committed when the work fails between units', async () => {
  const { deps, id, insert, stored } = await openProject()
  const failing = withBatchTransaction(deps, id, async ({ run }) => {
    await run(insert('a'))
    throw new Error('a failure')
  })
  await expect(failing).rejects.toThrow('a failure')
  expect(await stored()).toEqual(['a'])
  await deps.db.run(sql`update projects set description = 'changed' where id = ${id}`)
})

test.runIf(testEngine === 'sqlite')(
  'a full disk is reported as an outage, after which work can be repeated',
  async () => {
    const { deps, id } = await openProject()
    const { pages } = (await deps.db.one<{ pages: number }>(
      sql`select page_count as pages from pragma_page_count()`,
    )) ?? {
      pages: 0,
    }
    const limitPages = (count: number) => deps.db.transaction((tx) => tx.all(raw(`pragma max_page_count = ${count}`)))
    const store = ({ db }: Deps) =>
      db.run(sql`update projects set description = ${'x'.repeat(100_000)} where id = ${id}`)
    await limitPages(pages + 2)
    const failing = withBatchTransaction(deps, id, ({ run }) => run(store))
    await expect(failing).rejects.toMatchObject({ cause: { kind: 'unavailable', isOutcomeUnknown: false } })
    await limitPages(1_000_000)
    await withBatchTransaction(deps, id, ({ run }) => run(store))
  },
)

test('other transactions do not wait while an import waits for its first findings', async () => {
  const { deps, id } = await openProject()
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const header = { format: 'gitlab', version: '15', reportType: 'sast', reportTypes: ['sast'], scanners: [], scan: {} }
  // An import without dependencies uses only these.
  const report = {
    header: { ...header, scanner: { externalId: 'semgrep', name: 'Semgrep', vendor: '' } },
    async *batches() {
      await released
      yield []
    },
    outcome: () => ({ gaps: [], warnings: [], scannedFiles: undefined, artifact: undefined }),
    close: () => {},
  } as unknown as ImportReading
  const place: ImportPlace = {
    ...{ projectId: id, ref: 'main', defaultBranch: 'main', category: undefined, artifact: undefined },
    ...{ isPartial: undefined, importId: 1, now: deps.now() },
  }
  const done = compareReport(deps, place, report, async () => {})
  await vi.waitUntil(async () => (await listScannerIds(deps.db, id, ['semgrep'])).size > 0)
  await deps.db.run(sql`update projects set description = 'changed' where id = ${id}`)
  release()
  expect((await done).total).toBe(0)
})
