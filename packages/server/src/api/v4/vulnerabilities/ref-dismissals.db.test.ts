import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { endDismissalsOnRefs } from '../../../domain/vulnerabilities/triage/dismissals/end-ref-dismissals.ts'
import { onSqlite, testEngine } from '../../../testing/databases/database.ts'
import { historyOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
/** Creates a project whose vulnerabilities are on `main` and `feature`, and returns their ids, ascending. */
async function projectWith(count: number): Promise<{ project: TestProject; ids: number[] }> {
  const project = await server.project(`refs/site-${++projects}`)
  const lines = Array.from({ length: count }, (_, index) => index + 1)
  const entries = lines.map((line) => entry({ line, rule: `rule ${line}` }))
  for (const ref of ['main', 'feature']) await server.report(project, entries, { ref })
  return { project, ids: await idsIn(project) }
}

const idsIn = async (project: TestProject, query = ''): Promise<number[]> => {
  const reply = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc&${query}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.map(({ id }: { id: number }) => id)
}

const dismissOn = (id: number | undefined, ref: string, fields: object = {}) =>
  server.admin.post(`/vulnerabilities/${id}/dismiss`, { scope: 'ref', ref, ...fields })

const bulk = (project: TestProject, fields: object) =>
  server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes`, fields)

const stateOn = async (project: TestProject, id: number | undefined, ref?: string): Promise<string> => {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?${ref ? `ref=${ref}` : ''}`)
  return body.find((one: { id: number }) => one.id === id).state
}

describe('a dismissal on a ref', () => {
  test('counts on that ref only, with its reason, author and end', async () => {
    const { project, ids } = await projectWith(2)
    const [id = 0, other = 0] = ids
    const ada = await server.as('maintainer', project)
    const path = `/vulnerabilities/${id}`
    const change = { scope: 'ref', ref: 'feature', dismissal_reason: 'used_in_tests', until: '2030-01-01' }
    const dismissed = await ada.post(`${path}/dismiss`, { ...change, comment: 'Only there' })
    expect(dismissed.status, dismissed.text).toBe(201)
    expect(dismissed.body).toMatchObject({
      ...{ state: 'detected', dismissal_reason: null, dismissal_scope: 'ref' },
      ref_dismissals: [{ ref: 'feature', dismissal_reason: 'used_in_tests', dismissed_by_id: ada.user?.id }],
    })
    expect(await ada.post(`${path}/dismiss`, change)).toMatchObject({ status: 304 })
    const [row] = (await ada.get(`/projects/${project.id}/vulnerabilities?ref=feature&state=dismissed`)).body
    expect(row).toMatchObject({
      ...{ id, state: 'dismissed', dismissal_reason: 'used_in_tests', dismissed_by_id: ada.user?.id },
      ...{ dismissed_until: '2030-01-01', dismissal_scope: 'ref' },
    })
    expect(await idsIn(project, 'ref=feature&state=detected')).toEqual([other])
    expect(await idsIn(project, 'ref=feature&dismissal_reason=used_in_tests')).toEqual([id])
    expect(await idsIn(project, 'ref=feature&dismissal_reason=false_positive')).toEqual([])
    expect(await idsIn(project, 'ref=main&state=detected')).toEqual(ids)
    expect(await idsIn(project, 'state=detected')).toEqual(ids)
    expect(await idsIn(project, 'dismissal_scope=ref')).toEqual([id])
    expect(await idsIn(project, 'dismissal_scope=all_refs')).toEqual([])
    const summary = `/projects/${project.id}/vulnerabilities/summary`
    expect((await ada.get(`${summary}?ref=feature&state=dismissed`)).body.total).toBe(1)
    const findings = await ada.get(`/projects/${project.id}/vulnerability_findings?ref=feature&scope=all`)
    expect(findings.body.map(({ state }: { state: string }) => state).sort()).toEqual(['detected', 'dismissed'])
    const [text] = (await historyOf(ada, id)).filter(({ kind }) => kind === 'ref_state').map(({ text }) => text)
    expect(text).toBe(
      'dismissed vulnerability on feature: Used in tests, until 2030-01-01 with the following comment: "Only there"',
    )

    const reverted = await ada.post(`${path}/revert`, { ref: 'feature' })
    expect(reverted).toMatchObject({ status: 201, body: { dismissal_scope: null, ref_dismissals: [] } })
    expect(await ada.post(`${path}/revert`, { ref: 'feature' })).toMatchObject({ status: 304 })
    expect(await idsIn(project, 'ref=feature&state=dismissed')).toEqual([])
  })

  test.runIf(onSqlite)('needs a ref on which the vulnerability is present, and the right to triage', async () => {
    const { project, ids } = await projectWith(1)
    expect(await dismissOn(ids[0], 'other')).toMatchObject({
      status: 400,
      body: { error: 'ref: the vulnerability is not present on other' },
    })
    const path = `/vulnerabilities/${ids[0]}/dismiss`
    expect(await server.admin.post(path, { scope: 'ref' })).toMatchObject({ body: { error: 'ref is missing' } })
    expect(await server.admin.post(path, { ref: 'main' })).toMatchObject({ body: { error: 'ref needs the scope ref' } })
    const developer = await server.as('developer', project)
    expect((await developer.post(path, { scope: 'ref', ref: 'main' })).status).toBe(403)
    expect(
      await bulk(project, { action: 'dismiss', scope: 'ref', ref: 'other', vulnerability_ids: ids }),
    ).toMatchObject({
      body: { changed: 0, unchanged: 1 },
    })
  })

  test('is not restored by an undo where it needs approval by now', async () => {
    const { project, ids } = await projectWith(2)
    const on = { scope: 'ref', ref: 'feature', vulnerability_ids: ids }
    expect((await bulk(project, { ...on, action: 'dismiss' })).body.changed).toBe(2)
    const { body: reverted } = await bulk(project, { ...on, action: 'revert' })
    await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'low' })
    const path = `/projects/${project.id}/vulnerability_bulk_changes/${reverted.id}/undo`
    expect(await server.admin.post(path)).toMatchObject({ status: 201, body: { restored: 0, withdrawn: 0 } })
    expect(await idsIn(project, 'ref=feature&state=dismissed')).toEqual([])
  })

  test.runIf(onSqlite)('does not bypass the approval of a second person', async () => {
    const { project, ids } = await projectWith(1)
    await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'low' })
    expect(await dismissOn(ids[0], 'feature')).toMatchObject({ status: 409 })
    const change = { action: 'dismiss', scope: 'ref', ref: 'feature', vulnerability_ids: ids }
    expect((await bulk(project, change)).body).toMatchObject({ changed: 0, requested: 0 })
    expect(await stateOn(project, ids[0], 'feature')).toBe('detected')
  })

  test.runIf(onSqlite)('yields to decisions about all refs, and counts again after these', async () => {
    const { project, ids } = await projectWith(1)
    await dismissOn(ids[0], 'feature')
    await server.admin.post(`/vulnerabilities/${ids[0]}/resolve`)
    expect(await stateOn(project, ids[0], 'feature')).toBe('resolved')
    expect(await idsIn(project, 'ref=feature&state=resolved')).toEqual(ids)
    await server.admin.post(`/vulnerabilities/${ids[0]}/confirm`)
    expect([await stateOn(project, ids[0], 'feature'), await stateOn(project, ids[0], 'main')]).toEqual([
      'dismissed',
      'confirmed',
    ])
    await server.report(project, [entry({ line: 1, rule: 'rule 1' })], { ref: 'feature' })
    expect(await idsIn(project, 'ref=feature&state=dismissed')).toEqual(ids)
  })

  test('ends on its day', async () => {
    const { project, ids } = await projectWith(1)
    const clock = server.deps.now
    await dismissOn(ids[0], 'feature', { until: '2030-01-01' })
    await endDismissalsOnRefs(server.deps)
    expect(await stateOn(project, ids[0], 'feature')).toBe('dismissed')
    await endDismissalsOnRefs({ ...server.deps, now: () => `2030-01-01${clock().slice(10)}` })
    expect(await stateOn(project, ids[0], 'feature')).toBe('detected')
    expect((await historyOf(server.admin, ids[0] ?? 0)).map(({ text }) => text)).toContain(
      'ended the dismissal of vulnerability on feature with the following comment: "the dismissal on this branch ended on 2030-01-01"',
    )
  })

  test.runIf(onSqlite)('ends when a fix is available', async () => {
    const { project, ids } = await projectWith(1)
    await dismissOn(ids[0], 'feature', { until_fixed: true })
    await endDismissalsOnRefs(server.deps)
    expect(await stateOn(project, ids[0], 'feature')).toBe('dismissed')
    const fixed = [{ ...entry({ line: 1, rule: 'rule 1' }), solution: 'Upgrade to 2' }]
    await server.report(project, fixed, { ref: 'main' })
    await endDismissalsOnRefs(server.deps)
    expect(await stateOn(project, ids[0], 'feature')).toBe('detected')
  })

  test.runIf(onSqlite)('ends when the ref is closed', async () => {
    const { project, ids } = await projectWith(1)
    await dismissOn(ids[0], 'feature')
    expect((await server.admin.delete(`/projects/${project.id}/refs/feature`)).status).toBeLessThan(300)
    await server.runJobs()
    expect((await server.admin.get(`/vulnerabilities/${ids[0]}`)).body.ref_dismissals).toEqual([])
  })
})

test.runIf(onSqlite)(
  'a bulk change dismisses on a ref, has a dry run, and is undone for those that were not changed there since',
  async () => {
    const { project, ids } = await projectWith(3)
    const change = { action: 'dismiss', scope: 'ref', ref: 'feature', dismissal_reason: 'mitigating_control' }
    const many = { ...change, vulnerability_ids: ids }
    const dry = await server.admin.post('/groups/refs/vulnerability_bulk_changes', { ...many, dry_run: true })
    expect(dry.body).toMatchObject({ changed: 3 })
    const done = await bulk(project, many)
    expect(done.body).toMatchObject({ changed: 3, unchanged: 0 })
    await dismissOn(ids[0], 'main')
    await server.admin.post(`/vulnerabilities/${ids[1]}/revert`, { ref: 'feature' })
    await dismissOn(ids[1], 'feature', { dismissal_reason: 'false_positive' })
    const undone = await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes/${done.body.id}/undo`)
    expect(undone.body).toMatchObject({ restored: 2 })
    expect(await idsIn(project, 'ref=feature&state=dismissed')).toEqual([ids[1]])
    expect(await idsIn(project, 'ref=main&state=dismissed')).toEqual([ids[0]])
  },
)

test.runIf(onSqlite)(
  'lists and counts of refs equal a simple model after any decisions',
  async () => {
    const actions = fc.constantFrom(
      'dismiss on main',
      'dismiss on feature',
      'revert on feature',
      'dismiss',
      'revert',
      'confirm',
    )
    const steps = fc.array(fc.record({ index: fc.nat(3), action: actions }), { minLength: 3, maxLength: 9 })
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const { project, ids } = await projectWith(4)
        const model = ids.map((id) => ({ id, state: 'detected', refs: new Set<string>() }))
        for (const { index, action } of steps) {
          const one = model[index]
          if (!one) continue
          const [verb = '', , ref] = action.split(' ')
          const fields = ref && verb === 'dismiss' ? { scope: 'ref', ref } : { ref }
          const reply = await server.admin.post(`/vulnerabilities/${one.id}/${verb}`, ref ? fields : {})
          expect([201, 304]).toContain(reply.status)
          if (!ref) one.state = { dismiss: 'dismissed', revert: 'detected', confirm: 'confirmed' }[verb] ?? one.state
          else if (verb === 'revert') one.refs.delete(ref)
          else if (one.state !== 'dismissed') one.refs.add(ref)
        }
        for (const ref of ['main', 'feature']) {
          const seen = model.map(({ id, state, refs }) => ({ id, state: refs.has(ref) ? 'dismissed' : state }))
          for (const state of ['detected', 'confirmed', 'dismissed', 'dismissed,confirmed']) {
            const expected = seen.filter((one) => state.split(',').includes(one.state)).map(({ id }) => id)
            expect(await idsIn(project, `ref=${ref}&state=${state}`)).toEqual(expected)
            const path = `/projects/${project.id}/vulnerabilities/summary?ref=${ref}&state=${state}`
            expect((await server.admin.get(path)).body.total).toBe(expected.length)
            const findings = `/projects/${project.id}/vulnerability_findings?ref=${ref}&scope=all&state=${state}`
            const reply = await server.admin.get(findings)
            if (reply.status === 200) expect(reply.body).toHaveLength(expected.length)
          }
        }
      }),
      { seed: 3, numRuns: testEngine === 'postgres' ? 4 : 8 },
    )
  },
  60_000,
)
