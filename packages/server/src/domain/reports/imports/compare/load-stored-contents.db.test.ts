import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { insertMadeUp, usual } from '../../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../../testing/server.ts'
import { findContents } from '../../comparison/stored-contents.ts'
import { loadStoredContents } from './load-stored-contents.ts'

test.each([1, 20])(
  'the visible findings of a project are loaded whatever their uuids for a report of %i MB',
  async (mb) => {
    const server = await startServer()
    const [{ id: projectId }, other] = [await server.project('acme/site'), await server.project('acme/other')]
    const { db } = server.deps
    const ids = Array.from({ length: 300 }, (_, index) => index + 1)
    const madeUp = ids.map((id) => ({ ...usual, id, projectId, refs: id % 10 === 0 ? [] : ['main'] }))
    await insertMadeUp(db, madeUp, server.deps.now())
    const uuids = ids.map((id) => ({ id, uuid: `${(id % 256).toString(16).padStart(2, '0')}-${id}` }))
    await db.run(sql`
    update findings set uuid = r.uuid
    from ${db.dialect.records(uuids, { id: 'integer', uuid: 'text' })} as r where findings.id = r.id`)

    const stored = await loadStoredContents(db, projectId, mb * 1024 * 1024)
    const isStored = findContents(stored ?? new Uint32Array())
    const rows = await db.all<{ id: number; uuid: string; digest: string }>(sql`select id, uuid, digest from findings`)
    const found = rows.filter(({ uuid, digest }) => isStored(uuid, digest)).map(({ id }) => id)
    expect(found.sort((a, b) => a - b)).toEqual(ids.filter((id) => id % 10 !== 0))
    expect(await loadStoredContents(db, other.id, mb * 1024 * 1024)).toBeUndefined()
  },
)
