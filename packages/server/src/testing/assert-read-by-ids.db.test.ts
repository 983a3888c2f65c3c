import sql, { type Sql } from 'sql-template-tag'
import { expect, inject, onTestFinished, test } from 'vitest'
import { assertReadByIds } from './assert-read-by-ids.ts'
import { freshDatabase, testEngine } from './databases/database.ts'

// Only a superuser of PostgreSQL can examine plans as for large tables.
const canExamine = testEngine === 'sqlite' || inject('postgres').isSuperuser

test.runIf(canExamine)('rejects statements that do not find their rows by the ids that they name', async () => {
  const { db, drop } = await freshDatabase()
  onTestFinished(async () => {
    await db.close()
    await drop()
  })
  await db.run(sql`create table parts (id bigint primary key, project_id bigint not null, owner_id bigint not null)`)
  await db.run(sql`create index parts_project on parts (project_id, id)`)
  await db.run(sql`insert into parts (id, project_id, owner_id) values (1, 1, 1)`)

  const check = (query: Sql) =>
    assertReadByIds(db, [query]).then(
      () => 'found by id',
      (error: Error) => error.message.split(':')[0],
    )
  const problem = 'rows are not read by their ids'
  const ids = db.dialect.integers([1, 2])
  expect(await check(sql`select id from parts p where p.id in ${ids} order by id`)).toBe('found by id')
  expect(await check(sql`select id from parts p where p.owner_id in ${ids} order by id`)).toBe(problem)

  // The index of the project finds these rows among all rows of the project.
  const ofProject = sql`select id from parts p where p.owner_id in ${ids} and p.project_id = ${1} order by id`
  expect(await check(ofProject)).toBe(problem)
})
