import fc from 'fast-check'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { freshDatabase } from '../../testing/databases/database.ts'
import { readTopicSearch, type TopicSearch } from './search.ts'
import { listTopicIds } from './topic-queries.ts'

const now = '2026-01-01T00:00:00.000Z'

interface Row {
  id: number
  name: string
  title: string
  uses: number
  aliases: string[]
}

/** Reference implementation of GitLab's search for topics. */
function expectedOrder(rows: readonly Row[], search: TopicSearch): number[] {
  const has = (text: string, terms: readonly string[]) => terms.every((term) => lower(text).includes(lower(term)))
  const matches = ({ name, title, aliases }: Row) =>
    search.kind === 'terms'
      ? [name, title, ...aliases].some((text) => has(text, search.terms))
      : [name, title, ...aliases].some((text) => text.toLowerCase() === search.text.toLowerCase())
  const score = (row: Row) => (search.kind === 'terms' ? hundredths(row.name, search.query) : 0)
  return rows
    .filter(matches)
    .sort((a, b) => score(b) - score(a) || b.uses - a.uses || a.id - b.id)
    .map((row) => row.id)
}

/** Converts to lower case per character, like the databases. */
const lower = (text: string) => [...text].map((character) => character.toLowerCase()).join('')

function trigrams(text: string): Set<string> {
  const found = new Set<string>()
  for (const word of lower(text).match(/[\p{Alphabetic}\p{Nd}]+/gu) ?? []) {
    const characters = [' ', ' ', ...word, ' ']
    for (let start = 0; start + 3 <= characters.length; start++) found.add(characters.slice(start, start + 3).join(''))
  }
  return found
}

function hundredths(a: string, b: string): number {
  const [left, right] = [trigrams(a), trigrams(b)]
  const shared = [...left].filter((trigram) => right.has(trigram)).length
  const union = left.size + right.size - shared
  return union === 0 ? 0 : Math.floor((200 * shared + union) / (2 * union))
}

const syllable = fc.constantFrom(
  'git',
  'lab',
  'hub',
  'Ki',
  'ng',
  's',
  '-',
  ' ',
  '_',
  '%',
  '\\',
  '"',
  '.',
  '+',
  '1',
  'JS',
  '*',
  '(',
)
const word = fc.array(syllable, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
const wide = fc.oneof(syllable, fc.constantFrom('é', 'Ä', 'ß', 'ж', 'Ж', '語', '🦊'))
const title = fc.array(wide, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
const query = fc.oneof(
  title,
  fc.tuple(title, word).map((parts) => parts.join(' ')),
  word.map((text) => `"${text}"`),
  fc.constantFrom('git', 'lab git', 'g', '%', '___', '"git lab"', 'GITLAB', 'ät', '語語語', '🦊🦊🦊', '" "'),
)
const topic = fc.record({ name: word, title, uses: fc.nat(3), aliases: fc.array(word, { maxLength: 2 }) })

test('searches on both engines find the topics of the model, in its order', async () => {
  const { db, drop } = await freshDatabase()
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(topic, { maxLength: 12 }),
        fc.array(query, { minLength: 1, maxLength: 8 }),
        async (drafts, queries) => {
          const rows = await store(drafts)
          for (const text of queries) {
            const search = readTopicSearch(text)
            if (!search) continue
            const found = await listTopicIds(
              db,
              { organizationId: 1, search, withoutProjects: false },
              { perPage: 100, offset: 0 },
            )
            expect([text, found]).toEqual([text, expectedOrder(rows, search)])
          }
        },
      ),
      { numRuns: 150 },
    )
  } finally {
    await db.close()
    await drop()
  }

  /** Replaces all topics. Omits duplicate names. */
  async function store(drafts: readonly Omit<Row, 'id'>[]): Promise<Row[]> {
    const taken = new Set<string>()
    const isFresh = (name: string) => !taken.has(name.toLowerCase()) && taken.add(name.toLowerCase())
    const rows = drafts
      .filter(({ name }) => isFresh(name))
      .map((draft, index) => ({ ...draft, id: index + 1, aliases: draft.aliases.filter(isFresh) }))
    await db.transaction(async (db) => {
      await db.run(sql`delete from topics`)
      for (const { id, name, title, uses, aliases } of rows) {
        await db.run(sql`
          insert into topics (id, organization_id, name, name_key, title, title_key, non_private_projects_count,
            created_at, updated_at)
          values (${id}, 1, ${name}, ${name.toLowerCase()}, ${title}, ${title.toLowerCase()}, ${uses}, ${now}, ${now})`)
        for (const [index, text] of [name, ...aliases].entries()) {
          await db.run(sql`
            insert into topic_names (organization_id, topic_id, name, name_key, is_alias, created_at)
            values (1, ${id}, ${text}, ${text.toLowerCase()}, ${index > 0}, ${now})`)
        }
      }
    })
    return rows
  }
})
