import { expect, test } from 'vitest'
import { startServer } from '../../../testing/server.ts'

const table = 'Finding,Risk,Where\nXSS,Severe,src/a.ts\nCSRF,low,src/b.ts\n'
const mapping = { title: 'Finding', severity: 'Risk', file: 'Where', severities: { severe: 'critical' } }

async function send(fields: Record<string, string>) {
  const server = await startServer()
  const project = await server.project('acme/site')
  const developer = await server.as('maintainer', project)
  const form = new FormData()
  form.set('file', new Blob([table]), 'findings.csv')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const response = await developer.post(`/projects/${project.id}/security_reports`, form)
  return { response, findings: await developer.get(`/projects/${project.id}/vulnerability_findings`) }
}

test('a table is imported with its mapping', async () => {
  const { response, findings } = await send({ mapping: JSON.stringify(mapping) })
  expect(response).toMatchObject({ status: 201, body: { format: 'generic', report_type: 'sast' } })
  expect(findings.body).toMatchObject([
    { name: 'XSS', severity: 'critical', location: { file: 'src/a.ts' } },
    { name: 'CSRF', severity: 'low', location: { file: 'src/b.ts' } },
  ])
})

test('a dry run reads the table in the same way', async () => {
  const { response, findings } = await send({ mapping: JSON.stringify(mapping), dry_run: 'true' })
  expect(response).toMatchObject({ status: 201, body: { format: 'generic' } })
  expect(findings.body).toEqual([])
})

test('a table without the columns of its mapping is rejected, and changes nothing', async () => {
  const { response, findings } = await send({ mapping: JSON.stringify({ ...mapping, severity: 'Rating' }) })
  expect(response.status).toBe(400)
  expect(JSON.stringify(response.body)).toContain('The table has no column \\"Rating\\" for the field severity')
  expect(findings.body).toEqual([])
})

test.for(['{', '{"titel":"Finding"}'])('the mapping %s is rejected', async (mapping) => {
  const { response } = await send({ mapping })
  expect(response).toMatchObject({ status: 400, body: { message: { mapping: [expect.any(String)] } } })
})
