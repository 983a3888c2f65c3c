import { beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const freshProject = () => server.project(`acme/runs-${++projects}`)

const api = sastReport([entry({ name: 'api', file: 'api.ts', severity: 'High' })])
const web = sastReport([entry({ name: 'web', file: 'web.ts' })])

const image = (artifact: string) => ({
  SchemaVersion: 2,
  ArtifactName: artifact,
  ArtifactType: 'container_image',
  Results: [
    {
      Target: artifact,
      Class: 'os-pkgs',
      Type: 'debian',
      Vulnerabilities: [
        { VulnerabilityID: 'CVE-2099-0001', PkgName: artifact, InstalledVersion: '1', Severity: 'LOW' },
      ],
    },
  ],
})

const send = (project: TestProject, report: object, fields: Record<string, string> = {}) =>
  server.admin.post(
    `/projects/${project.id}/security_reports`,
    formWithFile('file', 'report.json', JSON.stringify(report), { ref: 'feature', ...fields }),
  )

/** Sends two reports as one run, and returns the response to the second one. */
async function sendRun(
  [first, second]: readonly [object, object],
  [ofFirst, ofSecond]: readonly [Record<string, string>, Record<string, string>] = [{}, {}],
) {
  const project = await freshProject()
  const sent = await send(project, first, ofFirst)
  expect(sent.status).toBe(201)
  const reply = await send(project, second, { same_run: `${sent.body.id}`, ...ofSecond })
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?ref=feature`)
  return { id: sent.body.id, reply, present: body.map(({ name }: { name: string }) => name).sort() }
}

describe('a report with same_run', () => {
  test.runIf(onSqlite)(
    'is rejected when it covers the findings of an earlier report of the run, which stay present',
    async () => {
      const { id, reply, present } = await sendRun([api, web])
      const message = `This report covers the findings of import ${id}, which belongs to the same run, and would make them absent: both are of the scanner Test scanner and the type sast. Send each of them with a \`category\` of its own, the same one in every run.`
      expect(reply).toMatchObject({
        status: 400,
        body: { message: { base: [message] }, errors: [{ type: 'SameScope', message }] },
      })
      expect(present).toEqual(['api'])
    },
  )

  test.runIf(onSqlite).each<[string, [Record<string, string>, Record<string, string>]]>([
    ['both have the same category', [{ category: 'app' }, { category: 'app' }]],
    ['it is a dry run', [{}, { dry_run: 'true' }]],
    ['only the earlier one has a category', [{ category: 'app' }, {}]],
  ])('is rejected when %s', async (_, fields) => {
    expect((await sendRun([api, web], fields)).reply.status).toBe(400)
  })

  test.runIf(onSqlite)(
    'is rejected although nothing would become absent, so a mistake is found in the first run',
    async () => {
      expect((await sendRun([sastReport([]), web])).reply.status).toBe(400)
    },
  )

  test.each<[string, [object, object], [Record<string, string>, Record<string, string>]]>([
    ['of another category', [api, web], [{ category: 'api' }, { category: 'web' }]],
    ['of another ref', [api, web], [{ ref: 'other' }, {}]],
    ['of a partial scan', [api, web], [{}, { partial: 'true' }]],
    ['of another scanner', [api, sastReport([entry({ name: 'web' })], 'another')], [{}, {}]],
    ['of another type', [api, sastReport([], 'test-scanner', 'dast')], [{}, {}]],
    ['about another image', [image('acme/api:1'), image('acme/web:1')], [{}, {}]],
  ])('is imported when it is %s', async (_, reports, fields) => {
    expect((await sendRun(reports, fields)).reply).toMatchObject({ status: 201, body: { findings: { gone: 0 } } })
  })

  test.runIf(onSqlite)('is rejected when it is about the same image', async () => {
    expect((await sendRun([image('acme/api:1'), image('acme/api:2')])).reply.status).toBe(400)
  })

  test.runIf(onSqlite)('is compared with imports of its own project only', async () => {
    const [one, other] = [await freshProject(), await freshProject()]
    const { id } = (await send(one, api)).body
    expect((await send(other, web, { same_run: `${id},999999` })).status).toBe(201)
  })

  test.runIf(onSqlite)('fails later when the import runs later', async () => {
    const project = await freshProject()
    const { id } = (await send(project, api)).body
    const queued = await send(project, web, { same_run: `${id}`, async: 'true' })
    await expect
      .poll(async () => (await server.admin.get(`/projects/${project.id}/security_reports/${queued.body.id}`)).body)
      .toMatchObject({ status: 'failed', errors: [{ type: 'SameScope' }] })
  })
})
