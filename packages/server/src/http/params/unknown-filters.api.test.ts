import { beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestProject, type TestServer } from '../../testing/server.ts'

let server: TestServer
let project: TestProject
beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/site')
})

const list = (path: string, query: string) => server.admin.get(`${path.replace(':id', `${project.id}`)}?${query}`)

/** Parameters that GitLab's clients send to every list. */
const ofClients =
  'page=1&per_page=20&all=true&get_all=false&iterator=true&as_list=false&statistics=true&order_by=id&sudo=root'

describe('an unknown filter', () => {
  test.each([
    ['/projects/:id/vulnerability_findings', 'ref=feature&dismissal_reason=mitigating_control', 'dismissal_reason'],
    ['/projects/:id/vulnerabilities', 'has_vulnerability=false', 'has_vulnerability'],
    ['/projects/:id/vulnerabilities', 'pipeline_id=1', 'pipeline_id'],
    ['/projects/:id/vulnerabilities/summary', 'severities=high', 'severities'],
    ['/groups/acme/vulnerabilities', 'severities=high', 'severities'],
    ['/projects/:id/security_reports', 'state=failed', 'state'],
    ['/projects/:id/vulnerability_statistics', 'severity=high', 'severity'],
    ['/projects/:id/vulnerabilities/bulk', 'action=dismiss', 'action'],
    ['/admin/jobs', 'project=1', 'project'],
  ])('is rejected by %s with %s, with a list of known filters', async (path, query, name) => {
    const reply = await list(path, query)
    expect(reply).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(new RegExp(`^${name} is not a filter of this list; there are: `)) },
    })
  })

  test.each([
    '/projects/:id/vulnerability_findings',
    '/projects/:id/vulnerabilities',
    '/groups/acme/vulnerabilities',
    '/projects/:id/security_reports',
    '/projects/:id/vulnerability_statistics',
    '/admin/jobs',
  ])('that GitLab’s clients send is accepted by %s', async (path) => {
    expect((await list(path, ofClients)).status).toBe(200)
  })

  test.each(['/projects', '/groups', '/topics', '/users', '/projects/:id/vulnerabilities', '/projects/:id/uploads'])(
    'is ignored by %s, as in GitLab',
    async (path) => {
      expect((await list(path, 'nonsense=1')).status).toBe(200)
    },
  )
})
