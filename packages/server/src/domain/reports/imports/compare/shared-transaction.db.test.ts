import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { testEngine } from '../../../../testing/databases/database.ts'
import { startServer } from '../../../../testing/server.ts'
import type { Deps } from '../../../deps.ts'
import { listScannerIds, upsertScanners } from '../../../findings/findings.ts'
import { withSharedTransaction } from './shared-transaction.ts'

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

test.runIf(testEngine === 'sqlite')('parts are committed together while no other transaction waits', async () => {
  const { deps, id, insert, stored } = await openProject()
  await withSharedTransaction(deps, id, async ({ run, end }) => {
    await run(insert('a'))
    await run(insert('b'))
    expect(await stored()).toEqual([])
    expect(deps.db.canProlongTransaction()).toBe(true)
    const other = deps.db.run(sql`update projects set description = 'changed' where id = ${id}`)
    expect(deps.db.canProlongTransaction()).toBe(false)
    await end()
    expect(await stored()).toEqual(['a', 'b'])
    await other
    await run(insert('c'))
  })
  expect(await stored()).toEqual(['a', 'b', 'c'])
})

test('a part is committed alone while another transaction waits, and always on PostgreSQL', async () => {
  const { deps, id, insert, stored } = await openProject()
  await withSharedTransaction(deps, id, async ({ run }) => {
    const others = [1, 2].map((n) => deps.db.run(sql`update projects set description = ${`${n}`} where id = ${id}`))
    await run(insert('a'))
    await Promise.all(others)
    expect(await stored()).toEqual(['a'])
  })
})

test('a part that fails does not leave the transaction open', async () => {
  const { deps, id, insert, stored } = await openProject()
  await withSharedTransaction(deps, id, async ({ run, end }) => {
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

test('work that fails between its parts ends the transaction', async () => {
  const { deps, id, insert, stored } = await openProject()
  const failing = withSharedTransaction(deps, id, async ({ run }) => {
    await run(insert('a'))
    throw new Error('a failure')
  })
  await expect(failing).rejects.toThrow('a failure')
  expect(await stored()).toEqual(['a'])
  await deps.db.run(sql`update projects set description = 'changed' where id = ${id}`)
})
