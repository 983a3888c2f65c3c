import { expect, test } from 'vitest'
import { entry } from '../../testing/reports/reports.ts'
import { startServer } from '../../testing/server.ts'

test('bulk operations work at their former paths, which the document marks as deprecated', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  await server.report(
    project,
    [1, 2].map((line) => entry({ line, rule: `r${line}` })),
  )
  const at = `/projects/${project.id}`
  const [{ id }] = (await server.admin.get(`${at}/vulnerabilities`)).body
  const change = (path: string, fields: object) => server.admin.post(`${at}/${path}`, fields)

  const dismissed = await change('vulnerability_bulk_changes', { action: 'dismiss', vulnerability_ids: [id] })
  expect(dismissed).toMatchObject({ status: 201, body: { changed: 1 } })
  expect((await server.admin.get(`${at}/vulnerabilities/bulk`)).body).toEqual([dismissed.body])
  expect(await change(`vulnerabilities/bulk/${dismissed.body.id}/undo`, {})).toMatchObject({ status: 201 })
  // Filters have one name in bulk changes and another in exports; both accept both.
  expect(await change('vulnerabilities/bulk', { action: 'confirm', filters: { state: 'detected' } })).toMatchObject({
    status: 201,
    body: { changed: 2 },
  })
  expect(await change('vulnerability_finding_promotions', { filters: {} })).toMatchObject({ status: 201 })
  expect(await change('vulnerability_findings/bulk', { action: 'promote', filter: {} })).toMatchObject({ status: 201 })

  const { paths } = (await server.anonymous.get('//-/openapi.json')).body
  const base = '/api/v4/projects/{id}'
  expect(paths[`${base}/vulnerabilities/bulk`].post.deprecated).toBe(true)
  expect(paths[`${base}/vulnerability_findings/bulk`].post.deprecated).toBe(true)
  expect(paths[`${base}/vulnerability_bulk_changes`].post).not.toHaveProperty('deprecated')
})

test('vulnerabilities and findings have links to the web UI', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const { admin } = server
  const finding = await server.finding(project)
  const at = `/projects/${project.id}`
  const [listed] = (await admin.get(`${at}/vulnerability_findings`)).body
  expect(new URL(listed.web_url).pathname).toBe(`/acme/site/-/findings/${finding.id}`)
  const { body } = await admin.post(`${at}/vulnerabilities?finding_id=${finding.id}`)
  const [promoted] = (await admin.get(`${at}/vulnerability_findings`)).body
  for (const { web_url } of [promoted, body, (await admin.get(`/vulnerabilities/${body.id}`)).body]) {
    expect(new URL(web_url).pathname).toBe(`/acme/site/-/security/vulnerabilities/${body.id}`)
  }
})
