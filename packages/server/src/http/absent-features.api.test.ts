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

const uploads = 'POST /projects/:id/uploads'
const noArchives = 'imports no archives'
const importer = 'alcove import gitlab'

/*
 * Calls of clients whose features Alcove lacks. Sources: the section "GitLab release" of semantic-release/gitlab's README, and
 * the pages releases, packages/generic, bulk_imports, group_relations_export, project_relations_export, project_import_export,
 * group_import_export and import of https://docs.gitlab.com/api/.
 */
test.each([
  ['semantic-release/gitlab', 'put', '/projects/acme%2Fsite/packages/generic/release/1.0.0/cli.tgz', uploads],
  ['semantic-release/gitlab', 'post', '/projects/acme%2Fsite/releases', uploads],
  ['semantic-release/gitlab', 'get', '/projects/1/repository/commits/c0ffee/merge_requests', 'has no repositories'],
  ['semantic-release/gitlab', 'post', '/projects/1/issues/7/notes', 'has no repositories'],
  ['the direct transfer of a target GitLab', 'post', '/groups/1/export_relations', 'exports no archives'],
  ['the direct transfer of a target GitLab', 'get', '/groups/1/export_relations/status', 'exports no archives'],
  ['the direct transfer of a target GitLab', 'get', '/projects/1/export_relations/download', 'exports no archives'],
  ['the direct transfer to this server', 'post', '/bulk_imports', importer],
  ['the direct transfer to this server', 'get', '/bulk_imports/entities', importer],
  ['the import of archives', 'post', '/projects/import', noArchives],
  ['the import of archives', 'post', '/projects/remote-import', noArchives],
  ['the import of archives', 'post', '/groups/import', noArchives],
  ['the export of archives', 'post', '/projects/1/export', 'exports no archives'],
  ['importers of other products', 'post', '/import/bitbucket_server', importer],
] as const)('%s: %s %s is 404 with a sentence', async (_, method, path, sentence) => {
  const { status, body } = await server.admin[method](path)
  expect([status, body]).toEqual([404, { error: '404 Not Found', message: expect.stringContaining(sentence) }])
})

test('renovate signs in, finds no project to work on, and sees that a named one has no repository', async () => {
  const { id } = await server.project('acme/renovated')
  expect(await server.admin.get('/user')).toMatchObject({ status: 200, body: { email: expect.any(String) } })
  expect((await server.admin.get('/version')).body.version).toMatch(/^18\.9\.0/)
  const found = await server.admin.get('/projects?membership=true&with_merge_requests_enabled=true&archived=false')
  expect([found.status, found.body]).toEqual([200, []])
  expect((await server.admin.get(`/projects/${id}`)).body).toMatchObject({
    archived: false,
    empty_repo: true,
    repository_access_level: 'disabled',
    merge_requests_access_level: 'disabled',
  })
})
