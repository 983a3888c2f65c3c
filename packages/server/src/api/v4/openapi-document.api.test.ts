import { expect, test } from 'vitest'
import { routes } from '../../routes.ts'
import { startServer } from '../../testing/server.ts'
import { describeApi } from './openapi-document.ts'

test('the OpenAPI document is public, matches the routes, and returns 304 when unchanged', async () => {
  const server = await startServer()
  const first = await server.anonymous.get('//-/openapi.json')
  expect(first.status).toBe(200)
  expect(first.headers['content-type']).toBe('application/json')
  expect(first.body).toEqual(JSON.parse(JSON.stringify(describeApi(routes))))
  expect(first.body.paths['/-/openapi.json'].get.tags).toEqual(['server'])

  const etag = first.headers['etag'] ?? ''
  const again = await server.anonymous.get('//-/openapi.json', { headers: { 'if-none-match': etag } })
  expect(again).toMatchObject({ status: 304, text: '' })
  // A browser that opens the URL gets the document instead of the UI.
  const opened = await server.anonymous.get('//-/openapi.json', { headers: { accept: 'text/html' } })
  expect(opened.body.openapi).toBe('3.1.0')
})

test('a form with the encodings of the document is read as the same JSON', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  await server.vulnerability(project)
  const token = await server.admin.post(
    `/projects/${project.id}/access_tokens`,
    new URLSearchParams('name=ci&access_level=30&scopes=read_api,write_security_reports&expires_at=2026-12-31'),
  )
  expect(token).toMatchObject({ status: 201, body: { scopes: ['read_api', 'write_security_reports'] } })

  const change = (state: string) =>
    server.admin.post(
      `/projects/${project.id}/vulnerability_bulk_changes`,
      new URLSearchParams(
        `action=confirm&filter[state]=${state}&filter[severity]=info,unknown,low,medium,high,critical`,
      ),
    )
  expect(await change('resolved,dismissed')).toMatchObject({ status: 201, body: { changed: 0 } })
  expect(await change('detected')).toMatchObject({ status: 201, body: { changed: 1 } })

  const topic = await server.admin.post('/topics', { name: 'go', title: 'Go' })
  expect(topic).toMatchObject({ status: 201, body: { name: 'go', avatar_url: null } })
})
