import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { columnValues } from '../../db/column-values.ts'
import { startServer } from '../../testing/server.ts'
import { contentColumns } from './finding-content.ts'
import { createFindings, findKnownFindings, upsertIdentifiers, upsertScanners } from './findings.ts'
import { insertOccurrences } from './occurrences/occurrences.ts'

async function setUp() {
  const server = await startServer()
  const { id: projectId } = await server.project('acme/site')
  const { db } = server.deps
  const now = server.deps.now()
  await upsertScanners(db, projectId, [{ externalId: 'semgrep', name: 'Semgrep', vendor: 'Semgrep' }], now)
  const fingerprints = ['cwe-79', 'rule-1', 'rule-2', 'rule-3']
  const identifierIds = await upsertIdentifiers(
    db,
    projectId,
    fingerprints.map((fingerprint) => ({
      ...{ fingerprint, externalType: 'rule', externalId: fingerprint, name: fingerprint, url: undefined },
    })),
  )
  const idOf = (fingerprint: string) => identifierIds.get(fingerprint) ?? 0
  const contentOf = (number: number) => ({
    uuid: `00000000-0000-5000-8000-${`${number}`.padStart(12, '0')}`,
    row: columnValues(
      {
        uuid: `00000000-0000-5000-8000-${`${number}`.padStart(12, '0')}`,
        ...{ report_type: 'sast', scanner: 'semgrep', primary_identifier: 'cwe-79', severity: 5, confidence: 4 },
        ...{ name: `Name ${number % 3}`, location: number % 4 ? { file: `src/${number % 2}.ts` } : {} },
        ...{ location_fingerprint: 'place', details: {}, extras: {}, digest: `${number}`, metadata_version: '15' },
        raw_metadata: '{}',
      },
      contentColumns,
    ),
    identifierIds: [idOf('cwe-79'), idOf(`rule-${1 + (number % 3)}`)],
    keys: [{ rank: 20, key: `key ${number}` }],
  })
  return { db, projectId, now, idOf, contentOf }
}

test('many findings are created with their own identifiers, keys and texts', async () => {
  const { db, projectId, now, idOf, contentOf } = await setUp()
  const numbers = Array.from({ length: 120 }, (_, number) => number)
  const contents = numbers.map(contentOf)
  const ids = await db.transaction((db) => createFindings(db, { projectId, importId: null, now }, contents))

  expect([...ids.keys()].sort()).toEqual(contents.map(({ uuid }) => uuid))
  const stored = await db.all(sql`
    select f.uuid, i.identifier_id, k.key from findings f
      join finding_identifiers i on i.finding_id = f.id and i.position = 1
      join finding_keys k on k.finding_id = f.id and k.rank = 20
    where f.project_id = ${projectId} order by f.uuid`)
  expect(stored).toEqual(
    numbers.map((number) => ({
      uuid: contentOf(number).uuid,
      identifierId: idOf(`rule-${1 + (number % 3)}`),
      key: `key ${number}`,
    })),
  )
  expect(await db.all(sql`select text from finding_texts where project_id = ${projectId} order by text`)).toEqual(
    ['Name 0', 'Name 1', 'Name 2', 'src/0.ts', 'src/1.ts'].map((text) => ({ text })),
  )
})

test('if one of many findings cannot be inserted, none is stored', async () => {
  const { db, projectId, now, contentOf } = await setUp()
  const contents = Array.from({ length: 120 }, (_, number) => contentOf(number % 119))
  const create = () => db.transaction((db) => createFindings(db, { projectId, importId: null, now }, contents))
  await expect(create()).rejects.toThrow()
  expect(await db.all(sql`select id from findings where project_id = ${projectId}`)).toEqual([])
  expect(await db.all(sql`select finding_id from finding_identifiers`)).toEqual([])
})

test('a known finding states whether the default branch, only another ref or none has observed it', async () => {
  const { db, projectId, now, contentOf } = await setUp()
  const contents = [0, 1, 2, 3].map(contentOf)
  const ids = await createFindings(db, { projectId, importId: null, now }, contents)
  const observe = (ref: string, numbers: readonly number[]) =>
    insertOccurrences(
      db,
      { projectId, ref, importId: null, categoryId: undefined, now },
      numbers.map((number) => ids.get(contentOf(number).uuid) ?? 0),
    )
  await observe('feature', [0, 1])
  await observe('main', [1, 2])
  const place = { projectId, ref: 'feature', defaultBranch: 'main', category: undefined }
  const known = await findKnownFindings(
    db,
    place,
    contents.map(({ uuid }) => uuid),
  )
  expect(known.map(({ wasPresent, wasSeen, wasOnDefaultBranch }) => [wasPresent, wasSeen, wasOnDefaultBranch])).toEqual(
    [
      [true, true, false],
      [true, true, true],
      [undefined, true, true],
      [undefined, false, false],
    ],
  )
})
