import { expect, test } from 'vitest'
import { createChangeLog, describeCommit, findWrites } from './changes.ts'

test.each([
  ['insert into things (a) values (1)', ['insert things']],
  ['INSERT OR IGNORE INTO "Things" values (1)', ['insert things']],
  ['insert or replace into things values (1)', ['insert things', 'delete things']],
  ['insert into public.things values (1) on conflict (id) do update set a = 1', ['insert things']],
  ['update only things as t set a = 1 from others', ['update things']],
  ['delete\n  from things where a in (select a from others)', ['delete things']],
  ['with gone as (delete from a returning id) insert into b select id from gone', ['insert b', 'delete a']],
  ['with picked as (select id from jobs for update skip locked) update jobs set a = 1', ['update jobs']],
  ['select * from things for no key update', []],
  [`select 'delete from things' -- update things\n /* insert into x */`, []],
  ['create table a (b int references c on update cascade on delete cascade)', []],
])('findWrites returns the tables written by: %s', (text, expected) => {
  expect(findWrites(text).map(({ action, table }) => `${action} ${table}`)).toEqual(expected)
})

test('tablesWritten follows foreign keys through cascades and cycles, and after they change', () => {
  const log = createChangeLog()
  expect(log.tablesWritten('delete from a')).toEqual(['a'])
  const key = (parent: string, child: string, on_delete: string, on_update = 'no action') => {
    return { parent, child, on_delete, on_update }
  }
  log.refresh([
    key('a', 'b', 'cascade', 'cascade'),
    key('b', 'c', 'set null'),
    key('c', 'd', 'cascade'),
    key('b', 'a', 'cascade'),
    key('a', 'e', 'no action'),
  ])
  expect([...log.tablesWritten('delete from a')].sort()).toEqual(['a', 'b', 'c'])
  expect([...log.tablesWritten('update a set id = 2')].sort()).toEqual(['a', 'b'])
  expect(log.tablesWritten('insert into a values (1)')).toEqual(['a'])
})

test('the version of several tables changes with each of them, and is unknown while disconnected', () => {
  const log = createChangeLog()
  const first = log.version(['a', 'b'])
  log.bump(['b', 'c'])
  const second = log.version(['a', 'b'])
  expect(second).not.toBe(first)
  log.bump(['c'])
  expect(log.version(['a', 'b'])).toBe(second)
  log.setConnected(false)
  expect(log.version(['a'])).toBeUndefined()
  log.bumpAll()
  log.setConnected(true)
  expect(log.version(['a', 'b'])).not.toBe(second)
})

test('a commit that concerns one project leaves the versions of other projects unchanged', () => {
  const log = createChangeLog()
  const versions = () => [log.version(['a']), log.version(['a'], 1), log.version(['a'], 2), log.version(['b'], 2)]
  const changed = (tables: readonly string[]) => {
    const before = versions()
    log.bump(tables)
    return versions().map((version, index) => version !== before[index])
  }
  const ofProject = { id: 1, tables: ['a', 'c'] }
  expect(changed(describeCommit(new Set(['a']), ofProject))).toEqual([true, true, false, false])
  // The transaction also changed a table that several projects share.
  expect(changed(describeCommit(new Set(['a', 'b']), ofProject))).toEqual([true, true, false, true])
  expect(changed(describeCommit(new Set(['a'])))).toEqual([true, true, true, false])
  expect(changed(describeCommit(new Set(['a']), { id: 2, tables: ['c'] }))).toEqual([true, true, true, false])
})

test('versions stay unique when the counts of very many projects start again', () => {
  const log = createChangeLog()
  const seen = new Set<number | undefined>()
  for (let id = 1; id <= 100_002; id++) {
    log.bump(describeCommit(new Set(['a']), { id, tables: ['a'] }))
    seen.add(log.version(['a']))
    if (id % 1000 === 0) log.bump(['b'])
  }
  expect(seen.size).toBe(100_002)
  const before = log.version(['a'], 5)
  log.bump(describeCommit(new Set(['a']), { id: 5, tables: ['a'] }))
  expect(log.version(['a'], 5)).toBeGreaterThan(before ?? 0)
})
