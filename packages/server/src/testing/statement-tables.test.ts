import { expect, test } from 'vitest'
import { tablesIn } from './statement-tables.ts'

test('tablesIn finds the tables of a statement', () => {
  const known = new Set(['users', 'findings', 'scans', 'imports'])
  const text = `with "newest" as (select imports from scans s -- from users
    where s.name = 'from imports') select * from newest join findings_search on true`
  expect([...tablesIn(text, known)]).toEqual(['scans', 'findings'])
})
