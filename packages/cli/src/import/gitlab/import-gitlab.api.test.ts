import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder, run } from '../../testing/command-run.ts'
import { filledSource, projectOf, uploadSecret as secret } from '../../testing/filled-gitlab-source.ts'
import { type GitlabSource, reply, startGitlabSource } from '../../testing/gitlab-source.ts'
import { type ListeningServer, listeningServer } from '../../testing/listening-server.ts'

const importFrom = ({ url }: GitlabSource, target: ListeningServer, more: string[] = [], cwd?: string) =>
  run(['import', 'gitlab', '--from', url, '--token', 'glpat-source', '--group', 'shop', '--json', ...more], {
    env: target.env,
    ...(cwd !== undefined && { cwd }),
  })

test('reads all pages, and finds the secret of an upload in the text that links to it', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  const imported = await importFrom(source, target)
  expect(imported).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(imported.stdout).copied).toMatchObject({ project: { created: 3 }, upload: { created: 1 } })
  expect((await target.admin.get(`/projects/shop%2Fp11/uploads/${secret}/plan.txt`)).text).toBe('the plan')
  expect((await target.admin.get('/projects/shop%2Fp11/uploads')).body).toMatchObject([
    { created_at: '2024-02-03T04:05:06.000Z', uploaded_by: { username: 'nadia' } },
  ])
})

test('takes no secret from a link that does not lead to the file', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  source.answers.delete(`/projects/11/uploads/${secret}/plan.txt`)
  const imported = await importFrom(source, target)
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('it has a new address') })
  const { body: uploads } = await target.admin.get('/projects/shop%2Fp11/uploads')
  expect(uploads).toMatchObject([{ filename: 'plan.txt' }])
  expect((await target.admin.get(`/projects/shop%2Fp11/uploads/${secret}/plan.txt`)).status).toBe(404)
})

test('changes nothing outside of the selected groups, whatever paths the source returns', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  await target.project('infra/deploy')
  const before = (await target.admin.get('/groups/infra')).body
  source.answers.set('/groups/3/subgroups', [{ id: 4, name: 'I', path: 'infra', full_path: 'infra', parent_id: null }])
  source.answers.set('/groups/3/projects', [{ ...projectOf(11), path_with_namespace: 'infra/deploy' }])
  const imported = await importFrom(source, target)
  expect(imported.code).toBe(1)
  expect(JSON.parse(imported.stdout).not_copied).toMatchObject([
    { kind: 'group', name: 'infra', reason: 'its path is not below shop' },
    { kind: 'project', name: 'infra/deploy', reason: 'its path is not below shop' },
  ])
  expect((await target.admin.get('/groups/infra')).body).toEqual(before)
  source.answers.set('/groups/shop', { id: 3, name: 'I', path: 'infra', full_path: 'infra', parent_id: null })
  expect(await importFrom(source, target)).toMatchObject({ code: 2 })
})

test('does not take the path of a group for the id of another one', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  await target.project('infra/deploy')
  const { body: other } = await target.admin.get('/groups/infra')
  const path = String(other.id)
  const group = { id: 3, name: 'Year', path, full_path: path, parent_id: null, visibility: 'private' }
  source.answers.set(`/groups/${path}`, group)
  source.answers.set('/groups/3/projects', [])
  const importYear = () =>
    run(['import', 'gitlab', '--from', source.url, '--token', 'glpat-source', '--group', path, '--json'], {
      env: target.env,
    })
  expect(JSON.parse((await importYear()).stdout).copied).toMatchObject({ group: { created: 1 } })
  expect(JSON.parse((await importYear()).stdout).copied).toMatchObject({ group: { unchanged: 1 } })
  expect((await target.admin.get('/groups/infra')).body).toMatchObject({ id: other.id, name: other.name })
})

test('repeats requests after 429, 500 and cut connections', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  source.faults.set('/groups/3/projects', (response) => reply(response, 429, {}, { 'retry-after': '30' }))
  source.faults.set('/projects/12', (response) => reply(response, 500, {}))
  source.faults.set('graphql', (response) => reply(response, 503, {}))
  source.faults.set('/projects/11/uploads/5', (response) => {
    response.writeHead(200, { 'content-length': '8' })
    response.write('the', () => response.destroy())
  })
  expect(await importFrom(source, target)).toMatchObject({ code: 0, stderr: '' })
  expect((await target.admin.get(`/projects/shop%2Fp11/uploads/${secret}/plan.txt`)).text).toBe('the plan')
  expect((await target.admin.get('/projects')).body).toHaveLength(3)
})

test('copies each project once when the source changes during the copy, and the rest when it is repeated', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  source.answers.set('/projects/14', projectOf(14))
  for (const list of ['members', 'uploads', 'vulnerabilities']) source.answers.set(`/projects/14/${list}`, [])
  // After the first page a new project moves all others down the list, and another one is renamed.
  source.faults.set('/groups/3/projects', (response) => {
    source.answers.set('/groups/3/projects', [14, 11, 12, 13].map(projectOf))
    source.answers.set('/projects/12', { ...projectOf(12), name: 'Renamed' })
    const next = 'http://elsewhere.test/api/v4/groups/3/projects?cursor=2'
    reply(response, 200, [11, 12].map(projectOf), { link: `<${next}>; rel="next"` })
  })
  const first = await importFrom(source, target)
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(first.stdout).copied.project).toMatchObject({ created: 3 })
  const second = await importFrom(source, target)
  expect(JSON.parse(second.stdout).copied.project).toMatchObject({ created: 1 })
  const { body: projects } = await target.admin.get('/projects?order_by=id&sort=asc')
  expect(projects.map(({ name }: { name: string }) => name).sort()).toEqual([
    'Project 11',
    'Project 13',
    'Project 14',
    'Renamed',
  ])
})

test('copies a vulnerability as the lists and GraphQL of GitLab show it', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  source.answers.set('/projects/11/vulnerabilities', [listedVulnerability])
  source.answers.set('graphql', {
    data: {
      project: {
        vulnerabilities: {
          nodes: [shownVulnerability],
          pageInfo: { hasNextPage: false, endCursor: 'eyJpZCI6IjEwMyJ9' },
        },
      },
    },
  })
  expect(await importFrom(source, target)).toMatchObject({ code: 0, stderr: '' })
  const { body: vulnerabilities } = await target.admin.get('/projects/shop%2Fp11/vulnerabilities?identifier=CWE-338')
  expect(vulnerabilities).toMatchObject([
    {
      title: 'Predictable random numbers',
      severity: 'low',
      report_type: 'sast',
      state: 'dismissed',
      dismissal_reason: 'false_positive',
      dismissed_at: '2024-04-09T08:00:00.000Z',
      finding: { location: { file: 'src/App.java', start_line: 47 } },
    },
  ])
  const [{ id }] = vulnerabilities
  const links = await target.admin.get(`/vulnerabilities/${id}/issue_links`)
  expect(links.body).toMatchObject([
    { web_url: 'https://gitlab.example.test/shop/p11/-/issues/4', title: 'Random numbers' },
  ])
  const { body: history } = await target.admin.get(`/vulnerabilities/${id}/history?sort=asc`)
  const commented = history.filter(({ comment }: { comment: string | null }) => comment !== null)
  expect(commented).toMatchObject([
    { comment: 'Seeds are not secrets here.', author: { username: 'nadia' }, created_at: '2024-04-08T09:00:00.000Z' },
    { comment: 'Seeds only.', author: { username: 'nadia' }, created_at: '2024-04-09T08:00:00.000Z' },
  ])
})

test('reports what the token may not read, and copies the rest', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  for (const list of ['uploads', 'vulnerabilities', 'members']) {
    source.faults.set(`/projects/12/${list}`, (response) => reply(response, 403, { message: '403 Forbidden' }))
  }
  source.answers.set('/projects/13', undefined)
  const imported = await importFrom(source, target)
  const { not_copied: missing } = JSON.parse(imported.stdout)
  expect(imported.code).toBe(1)
  const kinds: string[] = missing.map(({ kind, name }: Record<string, string>) => `${kind} ${name}`)
  expect(kinds.sort()).toEqual([
    'members of project shop/p12',
    'project shop/p13',
    'uploads of project shop/p12',
    'vulnerabilities shop/p12',
  ])
  expect((await target.admin.get('/projects')).body).toHaveLength(2)
})

test('does not read a page without end', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  source.faults.set('/projects/12/members', (response) => {
    const send = () => {
      if (!response.destroyed) response.write(Buffer.alloc(8 * 1024 * 1024, ' '), send)
    }
    send()
  })
  const imported = await importFrom(source, target)
  expect(imported.code).toBe(1)
  expect(JSON.parse(imported.stdout).not_copied).toMatchObject([
    { kind: 'members of project', reason: 'A response has more than 64 MiB. (413)' },
  ])
})

test('rejects a file whose content differs from what the source lists', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  source.answers.set('/projects/11/uploads/5', Buffer.from('another plan'))
  const imported = await importFrom(source, target)
  expect(imported.code).toBe(1)
  expect(imported.stdout).toContain('differs from what the source lists')
  expect(JSON.parse(imported.stdout).copied).not.toHaveProperty('upload')
  expect((await target.admin.get('/projects/shop%2Fp11/uploads')).body).toEqual([])
})

test('goes on after an interruption without reading complete projects again', async () => {
  const [source, target, cwd] = [await filledSource(), await listeningServer(), await folder()]
  const unavailable = (response: Parameters<typeof reply>[0]) => reply(response, 503, {}, { 'retry-after': '60' })
  source.faults.set('/projects/12/members', unavailable)
  const options = ['--state', 'state.json', '--retry', '1']
  expect(await importFrom(source, target, options, cwd)).toMatchObject({ code: 3 })
  const state = JSON.parse(await readFile(join(cwd, 'state.json'), 'utf8'))
  expect(state).toMatchObject({ done: { project: ['11'], upload: ['5'] } })
  source.requests.length = 0
  const other = await run(
    ['import', 'gitlab', '--from', source.url, '--token', 'glpat-source', '--state', 'state.json', '--resume'],
    { env: target.env, cwd },
  )
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to another import') })
  expect(await importFrom(source, target, [...options, '--resume'], cwd)).toMatchObject({ code: 0 })
  expect(source.requests).not.toContain('/projects/11/uploads')
  expect(source.requests).toContain('/projects/12/uploads')
  await expect(readFile(join(cwd, 'state.json'))).rejects.toThrow('ENOENT')
})

test('refuses a token that is not an administrator’s, and a source without token', async () => {
  const [source, target] = [await startGitlabSource(), await listeningServer()]
  const user = await target.user('nadia')
  const args = ['import', 'gitlab', '--from', source.url]
  expect(await run(args, { env: target.env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('GITLAB_TOKEN'),
  })
  const env = { ...target.envOf(user), GITLAB_TOKEN: 'glpat-source' }
  expect(await run(args, { env })).toMatchObject({ code: 2, stderr: expect.stringContaining('an administrator') })
})

const author = { id: 'gid://gitlab/User/7', username: 'nadia', name: 'Nadia' }

/** A row of `GET /projects/:id/vulnerabilities` of GitLab, whose finding has the entry of the report as text. */
const listedVulnerability = {
  id: 103,
  title: 'Predictable random numbers',
  description: null,
  state: 'dismissed',
  severity: 'low',
  confidence: 'medium',
  report_type: 'sast',
  author_id: 7,
  created_at: '2024-04-07T14:01:04.655Z',
  dismissed_at: '2024-04-09T08:00:00.000Z',
  dismissed_by_id: 7,
  resolved_at: null,
  resolved_by_id: null,
  resolved_on_default_branch: false,
  finding: {
    id: 103,
    name: 'Predictable random numbers',
    report_type: 'sast',
    severity: 'low',
    scanner_id: 63,
    uuid: '24cb2e58-9f5d-5c1a-9a0e-5a3c1e1d7f30',
    raw_metadata: JSON.stringify({
      description: 'The generator is not made for secrets.',
      location: { file: 'src/App.java', start_line: 47, end_line: 47 },
      identifiers: [{ type: 'cwe', name: 'CWE-338', value: '338' }],
      scanner: { id: 'semgrep', name: 'Semgrep' },
    }),
  },
  project: { id: 11, name: 'Project 11', full_path: 'shop/p11' },
}

/** The same vulnerability in GraphQL. */
const shownVulnerability = {
  id: 'gid://gitlab/Vulnerabilities::Vulnerability/103',
  detectedAt: '2024-04-07T14:01:04Z',
  dismissalReason: 'FALSE_POSITIVE',
  stateComment: 'Seeds only.',
  webUrl: 'https://gitlab.example.test/shop/p11/-/security/vulnerabilities/103',
  scanner: { externalId: 'semgrep', name: 'Semgrep', vendor: 'GitLab' },
  identifiers: [{ externalType: 'cwe', externalId: '338', name: 'CWE-338', url: null }],
  stateTransitions: {
    nodes: [
      {
        fromState: 'DETECTED',
        toState: 'DISMISSED',
        createdAt: '2024-04-09T08:00:00Z',
        comment: 'Seeds only.',
        dismissalReason: 'FALSE_POSITIVE',
        author,
      },
    ],
  },
  issueLinks: {
    nodes: [{ issue: { title: 'Random numbers', webUrl: 'https://gitlab.example.test/shop/p11/-/issues/4' } }],
  },
  notes: {
    nodes: [{ body: 'Seeds are not secrets here.', system: false, createdAt: '2024-04-08T09:00:00Z', author }],
  },
}
