import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

// Each table is written by one noun, its owner: a folder directly below domain/. Other nouns call the owner's functions.
const root = 'packages/server/src/domain/'
const write = /\b(?:insert into|update|delete from)\s+(?!set\b)(\w+|\$\{[^}]+\})/g

/** Queries that write tables by a name in a variable. */
const writesAnyTable = new Map([
  ['projects/gitlab-attribute-queries.ts', 'a column that several tables have'],
  ['avatars/avatar-queries.ts', 'a column that several tables have'],
  ['users/user-queries.ts', 'the references to a deleted user'],
])

const files = execFileSync('git', ['ls-files', `${root}*-queries.ts`], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean)
const writers = new Map<string, Set<string>>()
const problems: string[] = []
for (const file of files) {
  const path = file.slice(root.length)
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
  for (const [, table = ''] of text.matchAll(write)) {
    if (table.startsWith('$')) {
      if (!writesAnyTable.has(path)) problems.push(`${path}: writes the table ${table}, whose name a check cannot read`)
      continue
    }
    const nouns = writers.get(table) ?? new Set()
    writers.set(table, nouns.add(path.split('/')[0] ?? ''))
  }
}
for (const [table, nouns] of writers) {
  if (nouns.size > 1) problems.push(`${table} is written by ${[...nouns].join(' and ')}`)
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`${writers.size} tables have one owner each`)
