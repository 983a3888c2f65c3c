import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { postgresDialect, sqliteDialect } from './sql.ts'
import { staticStatement } from './static-statement.ts'

const named = staticStatement((dialect) => (ids: readonly number[], name: string) => {
  return sql`select id from rows where id in ${dialect.integers(ids)} and name = ${name}`
})

test('a statement has the text of its engine and the values of each call', () => {
  for (const dialect of [sqliteDialect, postgresDialect]) {
    const expected = sql`select id from rows where id in ${dialect.integers([3])} and name = ${'c'}`
    const first = named({ dialect }, [1, 2], 'a')
    const second = named({ dialect }, [3], 'c')
    expect(second.inspect()).toEqual(expected.inspect())
    expect(first.values).toEqual([...dialect.integers([1, 2]).values, 'a'])
    expect(second.sql).toBe(first.sql)
  }
})
