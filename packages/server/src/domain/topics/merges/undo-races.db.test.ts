import { expect, test } from 'vitest'
import type { Database, Db } from '../../../db/db.ts'
import { Failure } from '../../../platform/failure.ts'
import type { Client } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'
import { findUserById } from '../../users/user-queries.ts'
import { undoMerge } from './merges.ts'

const server = await startServer()
const { admin, deps } = server

/** Database that pauses in its first transaction, after reading and before writing. */
function withMoment(db: Database, moment: () => Promise<unknown>): Database {
  let isOver = false
  const watched = (inside: Db): Db => ({
    ...inside,
    async run(query) {
      if (!isOver && query.sql.includes('insert into topics')) {
        isOver = true
        await moment()
      }
      return inside.run(query)
    },
  })
  return { ...db, transaction: (work, options) => db.transaction((inside) => work(watched(inside)), options) }
}

const newTopic = async (client: Client, name: string) => (await client.post('/topics', { name, title: name })).body.id

test.each([
  ['a new topic takes its name', (name: string) => admin.post('/topics', { name: name.toUpperCase(), title: 'x' })],
  [
    'a new topic takes one of its aliases',
    (name: string) => admin.post('/topics', { name: `${name}-alias`, title: 'x' }),
  ],
  [
    'another topic takes its name as an alias',
    (name: string, other: number) => admin.post(`/topics/${other}/aliases`, { name }),
  ],
  [
    'another topic is given its name',
    (name: string, other: number) => admin.put(`/topics/${other}`, { name, title: 'x' }),
  ],
  [
    'a project makes a topic of its name',
    (name: string) => admin.post('/projects', { name: `of-${name}`, topics: [name] }),
  ],
])('only one of undo and a concurrent change succeeds when %s', async (what, take) => {
  const name = what.replaceAll(' ', '-')
  const [source, target, other] = [
    await newTopic(admin, name),
    await newTopic(admin, `${name}-target`),
    await newTopic(admin, `${name}-other`),
  ]
  await admin.post(`/topics/${source}/aliases`, { name: `${name}-alias` })
  const project = (await admin.post('/projects', { name, topics: [name] })).body
  await admin.post('/topics/merge', { source_topic_id: source, target_topic_id: target, keep_alias: false })
  await admin.delete(`/topics/${target}/aliases`, { name: `${name}-alias` })
  const [{ id }] = (await admin.get('/topics/merges?per_page=1')).body
  const user = await findUserById(deps.db, 1)
  if (!user) throw new Error('there is no root')

  let taking: ReturnType<typeof take> | undefined
  const db = withMoment(deps.db, async () => {
    taking = take(name, other)
    // On SQLite other writers wait for the undo.
    if (deps.db.dialect.engine === 'postgres') await taking
  })
  const caller = { user, isAdmin: true, token: { id: 1, kind: 'personal' as const, scopes: ['api'] } }
  const outcome = await undoMerge({ ...deps, db }, caller, id, { partial: false }).catch((error: unknown) => error)
  const taken = await taking

  const there = (await admin.get(`/topics/${source}`)).status
  const carried = (await admin.get(`/projects/${project.id}`)).body.topics
  if (deps.db.dialect.engine === 'postgres') {
    expect(taken?.status).toBeLessThan(300)
    expect(outcome).toBeInstanceOf(Failure)
    expect(outcome).toMatchObject({
      cause: {
        kind: 'blocked',
        sentence: `merge ${id} cannot be undone`,
        reasons: ['one of its names was given away at the same time'],
      },
    })
    expect([there, carried]).toEqual([404, [`${name}-target`]])
    // The change is now visible and therefore listed.
    expect(await admin.post(`/topics/merges/${id}/undo`)).toMatchObject({
      status: 409,
      body: { reasons: [expect.stringMatching(new RegExp(`the name "${name}`, 'i'))] },
    })
  } else {
    expect(outcome).toMatchObject({ topic: { id: source } })
    expect([there, carried]).toEqual([200, [name]])
    if (what.startsWith('a project')) expect(taken).toMatchObject({ status: 201, body: { topics: [name] } })
    else expect(taken?.status).toBe(400)
  }
})
