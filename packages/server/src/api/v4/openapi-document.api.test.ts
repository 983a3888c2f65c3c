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
