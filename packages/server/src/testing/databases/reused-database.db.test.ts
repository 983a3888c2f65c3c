import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { startServer } from '../server.ts'

// Both engines run this: a server must not be able to observe whether its database was used before.
test('each server starts with the rows and ids of a new database', async () => {
  const stateOf = async () => {
    const server = await startServer({ keepOpen: true })
    const { db } = server.deps
    const versions = await db.all<{ value: number }>(sql`select count(*) as value from audit_events
      union all select count(*) from findings union all select count(*) from users union all select count(*) from jobs`)
    const project = await server.project('acme/site')
    const { id } = await server.vulnerability(project)
    const state = { counts: versions.map(({ value }) => value), project: project.id, vulnerability: id }
    await server.close()
    return state
  }
  const first = await stateOf()
  expect(await stateOf()).toEqual(first)
  expect(await stateOf()).toEqual(first)
})

test('a database whose schema a test has changed is not used again', async () => {
  const server = await startServer({ keepOpen: true })
  await server.deps.db.transaction((tx) => tx.run(sql`create table of_a_test (id bigint)`))
  await server.close()
  const next = await startServer()
  await expect(next.deps.db.all(sql`select id from of_a_test`)).rejects.toThrow(/of_a_test/)
})

test('a closed server cannot reach the database of the next one', async () => {
  const former = await startServer({ keepOpen: true })
  await former.close()
  await startServer()
  await expect(former.deps.db.run(sql`delete from users`)).rejects.toThrow()
})
