import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { promotionKind, removeOldPromotions } from '../../../domain/vulnerabilities/promotion/bulk-promotion.ts'
import { disagreements } from '../../../testing/kept-counts.ts'
import { historyOf, runInSteps, withoutJob } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
const clock = { now: '2026-03-01T08:00:00.000Z' }
beforeAll(async () => {
  server = await startServer({ clock })
})

/** More findings than one transaction promotes; the last batch of a hundred is not full. */
const total = 630

let projects = 0
async function projectWith(count = total): Promise<TestProject> {
  const project = await server.project(`acme/many-${++projects}`)
  const entries = Array.from({ length: count }, (_, line) => entry({ line: line + 1 }))
  await server.report(project, entries, { promote: 'false' })
  return project
}

const bulk = ({ id }: TestProject) => `/projects/${id}/vulnerability_finding_promotions`
const promote = (project: TestProject, fields: object = {}) =>
  server.admin.post(bulk(project), { action: 'promote', filter: {}, ...fields })
const readPromotion = async (project: TestProject, id: number) =>
  (await server.admin.get(`${bulk(project)}/${id}`)).body
const totalOf = async ({ id }: TestProject) =>
  (await server.admin.get(`/projects/${id}/vulnerability_statistics`)).body.total

/** Creates a promotion whose job has not started. */
async function begin(project: TestProject): Promise<number> {
  const job = { kind: 'promotion', key: `promotion:${project.id}` }
  const { body } = await withoutJob(server, job, () => promote(project, { async: true }))
  return body.id
}

const go = (id: number, batches?: number, beforeStep?: () => void) =>
  runInSteps(server, promotionKind, { promotionId: id }, batches, beforeStep)

describe('a bulk promotion larger than one transaction', () => {
  test('returns the number of promoted findings when it is done', async () => {
    const project = await projectWith()
    expect(await promote(project, { expected_count: total - 1 })).toMatchObject({ status: 409 })
    const done = await promote(project, { expected_count: total })
    expect(done).toMatchObject({ status: 201, body: { status: 'done', total, promoted: total, unchanged: 0 } })
    expect(await readPromotion(project, done.body.id)).toEqual(done.body)
    expect(await totalOf(project)).toBe(total)
    const [first] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
    expect(first).toMatchObject({ state: 'detected', author_id: 1 })
    expect(await historyOf(server.admin, first.id)).toMatchObject([{ kind: 'created' }])
    expect(await disagreements(server.deps)).toEqual([])
  })

  test('reports its progress and resumes after a kill', async () => {
    const project = await projectWith()
    const job = { kind: 'promotion', key: `promotion:${project.id}` }
    const accepted = await withoutJob(server, job, () => promote(project, { async: true }))
    const { id } = accepted.body
    expect(accepted).toMatchObject({
      status: 202,
      headers: { location: `/api/v4${bulk(project)}/${id}` },
      body: { id, status: 'running', total, promoted: 0, unchanged: 0 },
    })
    for (const promoted of [200, 400]) {
      await expect(go(id, 2)).rejects.toThrow('killed')
      expect(await readPromotion(project, id)).toEqual({
        id,
        status: 'running',
        total,
        promoted,
        unchanged: 0,
        error: null,
      })
      expect(await totalOf(project)).toBe(promoted)
      expect(await disagreements(server.deps)).toEqual([])
    }
    await go(id)
    const done = { id, status: 'done', total, promoted: total, unchanged: 0, error: null }
    expect(await readPromotion(project, id)).toEqual(done)
    // Running it again changes nothing.
    await go(id)
    expect(await readPromotion(project, id)).toEqual(done)
    expect(await totalOf(project)).toBe(total)
  })

  test('keeps concurrent changes of other requests between two batches', async () => {
    const project = await projectWith()
    const id = await begin(project)
    await expect(go(id, 1)).rejects.toThrow('killed')
    const waiting = await server.admin.get(`/projects/${project.id}/vulnerability_findings?has_vulnerability=false`)
    const byHand = await promote(project, { filter: undefined, finding_ids: [waiting.body.at(-1).id] })
    expect(byHand).toMatchObject({ status: 201, body: { id: null, promoted: 1 } })
    const [promoted] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
    await server.admin.post(`/vulnerabilities/${promoted.id}/confirm`)
    const others: Promise<unknown>[] = []
    await go(
      id,
      undefined,
      () => void others.push(server.admin.post(`/vulnerabilities/${promoted.id}/notes`, { body: 'x' })),
    )
    expect(others).toHaveLength(7)
    await Promise.all(others)
    expect(await readPromotion(project, id)).toMatchObject({ status: 'done', promoted: total - 1, unchanged: 1 })
    expect((await server.admin.get(`/vulnerabilities/${promoted.id}`)).body.state).toBe('confirmed')
    expect(await totalOf(project)).toBe(total)
    expect(await disagreements(server.deps)).toEqual([])
  })

  test('creates one vulnerability per finding when two requests run concurrently', async () => {
    const project = await projectWith()
    const replies = await Promise.all([promote(project), promote(project)])
    expect(replies.map(({ status }) => status)).toEqual([201, 201])
    expect(replies[0].body.promoted + replies[1].body.promoted).toBe(total)
    expect(await totalOf(project)).toBe(total)
  })

  test('promotes nothing when one of the findings belongs to another project', async () => {
    const project = await projectWith()
    const foreign = (await server.admin.get(`/projects/${(await projectWith(1)).id}/vulnerability_findings`)).body
    const own = await server.deps.db.all<{ id: number }>(
      sql`select id from findings where project_id = ${project.id} order by id`,
    )
    const ids = [...own, ...foreign].map(({ id }) => id)
    const refused = await promote(project, { filter: undefined, finding_ids: ids })
    expect(refused).toMatchObject({
      status: 400,
      body: { message: { finding_ids: [`not found in this project: ${foreign[0].id}; nothing was changed`] } },
    })
    expect(await totalOf(project)).toBe(0)
    const { db } = server.deps
    expect(await db.all(sql`select id from finding_promotions where project_id = ${project.id}`)).toEqual([])
  })

  test('keeps its progress when it fails, and a later promotion handles the rest', async () => {
    const project = await projectWith()
    const id = await begin(project)
    await expect(go(id, 3)).rejects.toThrow('killed')
    await promotionKind.giveUp?.(server.deps, { promotionId: id }, 'killed')
    expect(await readPromotion(project, id)).toMatchObject({ status: 'failed', promoted: 300 })
    await go(id)
    expect(await totalOf(project)).toBe(300)
    expect((await promote(project)).body).toMatchObject({ promoted: total - 300 })
  })

  test('ends when its project or its author is deleted', async () => {
    const [project, gone] = [await projectWith(), await projectWith()]
    const author = await server.as('maintainer', project)
    const job = { kind: 'promotion', key: `promotion:${project.id}` }
    const { body } = await withoutJob(server, job, () =>
      author.post(bulk(project), { action: 'promote', filter: {}, async: true }),
    )
    expect((await server.admin.delete(`/users/${author.user?.id}?hard_delete=true`)).status).toBe(204)
    await go(body.id)
    expect(await readPromotion(project, body.id)).toMatchObject({ status: 'failed', promoted: 0 })
    expect(await totalOf(project)).toBe(0)

    const id = await begin(gone)
    await expect(go(id, 1)).rejects.toThrow('killed')
    expect((await server.admin.delete(`/projects/${gone.id}`)).status).toBe(202)
    await go(id)
    expect((await server.admin.get(`${bulk(gone)}/${id}`)).status).toBe(404)
  })

  test('is visible to developers of its project for a month', async () => {
    const project = await projectWith()
    const { id } = (await promote(project)).body
    const developer = await server.as('developer', project)
    expect((await developer.get(`${bulk(project)}/${id}`)).body).toMatchObject({ id, status: 'done' })
    expect((await (await server.as('reporter', project)).get(`${bulk(project)}/${id}`)).status).toBe(403)
    expect((await server.admin.get(`${bulk(await projectWith(1))}/${id}`)).status).toBe(404)
    clock.now = '2026-03-31T07:59:00.000Z'
    await removeOldPromotions(server.deps)
    expect((await server.admin.get(`${bulk(project)}/${id}`)).status).toBe(200)
    clock.now = '2026-03-31T08:01:00.000Z'
    await removeOldPromotions(server.deps)
    expect((await server.admin.get(`${bulk(project)}/${id}`)).status).toBe(404)
  })
})
