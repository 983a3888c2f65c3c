import { expect, test } from 'vitest'
import { startServer } from '../testing/server.ts'

const server = await startServer()

test.each([
  ['/projects/1/releases', 'Alcove has no releases and packages.'],
  ['/projects/acme%2Fsite/packages/generic/cli/1.0.0/cli.tgz', 'POST /projects/:id/uploads'],
  ['/bulk_imports', 'alcove import gitlab'],
  ['/import/github', 'alcove import gitlab'],
  ['/groups/1/export', 'exports no archives'],
  ['/projects/1/repository/branches/main', 'has no repositories'],
])('a request for %s, which GitLab has, is 404 with a sentence', async (path, sentence) => {
  for (const send of [server.admin.get, server.admin.post]) {
    const { status, body } = await send(path)
    expect([status, body]).toEqual([404, { error: '404 Not Found', message: expect.stringContaining(sentence) }])
  }
})

test.each(['/nothing', '/projects/1/releasesx', '/importer'])('a request for %s is 404 without one', async (path) => {
  expect(await server.admin.get(path)).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
  expect((await server.admin.get(path)).body).not.toHaveProperty('message')
})
