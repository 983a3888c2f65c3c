import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { formWithFile } from '../../../../server/src/testing/client.ts'
import { run } from '../../testing/command-run.ts'
import { filledSource, projectOf } from '../../testing/filled-gitlab-source.ts'
import { type GitlabSource, reply } from '../../testing/gitlab-source.ts'
import { type ListeningServer, listeningServer } from '../../testing/listening-server.ts'

const secret = 'a-secret-of-the-source'
const day = '86400'

const mirrorFrom = ({ url }: GitlabSource, { env }: ListeningServer, ...more: string[]) =>
  run(
    ['import', 'gitlab', '--from', url, '--token', 'glpat-source', '--group', 'shop', '--json', '--mirror', ...more],
    {
      env: { ...env, ALCOVE_MIRROR_SECRET: secret },
    },
  )

const reportsOf = ({ stdout }: { stdout: string }) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Changes the source when the first copy reads the list that is read last. */
function afterFirstCopy(source: GitlabSource, change: () => void | Promise<void>): void {
  source.faults.set('/projects/13/vulnerabilities', (response) => {
    void Promise.resolve(change()).then(() => reply(response, 200, []))
  })
}

test('a mirror copies again, marks its copies, and deletes what has vanished after the time that it keeps it', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  source.answers.set('/projects/13/uploads', [
    { id: 6, size: 3, filename: 'old.txt', created_at: '2024-02-03T04:05:06.000Z' },
  ])
  source.answers.set('/projects/13/uploads/6', Buffer.from('old'))
  const stranger = await target.user('stranger')
  afterFirstCopy(source, async () => {
    const { answers } = source
    const [first, , third] = answers.get('/groups/3/projects') as object[]
    answers.set('/groups/3/projects', [first, third])
    answers.delete('/projects/12')
    answers.set('/projects/13', { ...third, description: 'Changed' })
    answers.set('/projects/13/uploads', [])
    // An importer that was taken for another account adds a member whom the source does not have.
    const { body: group } = await target.admin.get('/groups/shop')
    await target.admin.post(`/groups/${group.id}/members`, { user_id: stranger.user?.id, access_level: 30 })
  })
  const mirror = await mirrorFrom(source, target, '--rounds', '3', '--interval', day, '--delete-after', '1')
  expect(mirror).toMatchObject({ code: 0, stderr: '' })
  const [first, second, third] = reportsOf(mirror)
  expect(first).toMatchObject({ copied: { project: { created: 3 }, upload: { created: 2 } }, not_copied: [] })
  expect(second).toMatchObject({
    copied: { project: { created: 0, updated: 1, unchanged: 1 }, member: { deleted: 1 } },
  })
  expect(second.notes).toContain('project shop/p12: missing in the source')
  expect(third).toMatchObject({ copied: { project: { deleted: 1 }, upload: { deleted: 1 } }, not_copied: [] })

  const { admin } = target
  expect((await admin.get('/projects/shop%2Fp12')).status).toBe(404)
  const { body: kept } = await admin.get('/projects/shop%2Fp13')
  const mirrored = { mirrored_from: { url: source.url, local_changes: 'triage' } }
  expect(kept).toMatchObject({ description: 'Changed', ...mirrored })
  expect((await admin.get('/groups/shop')).body).toMatchObject(mirrored)
  expect((await admin.get(`/projects/${kept.id}/uploads`)).body).toEqual([])
  const owner = await target.as('owner', kept)
  expect((await owner.post(`/projects/${kept.id}/uploads`, formWithFile('file', 'a.txt', 'x'))).status).toBe(403)
})

test('a mirror names vulnerabilities and comments that were deleted in the source, and keeps them', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  const flaws = [
    { id: 91, title: 'Injection', state: 'detected', severity: 'high', report_type: 'sast' },
    { id: 92, title: 'Traversal', state: 'detected', severity: 'low', report_type: 'sast' },
  ]
  const detailsOf = (notes: object[]) => ({
    data: {
      project: {
        vulnerabilities: {
          nodes: [{ id: 'gid://gitlab/Vulnerability/91', notes: { nodes: notes } }],
          pageInfo: { hasNextPage: false },
        },
      },
    },
  })
  source.answers.set('/projects/12/vulnerabilities', flaws)
  source.answers.set('graphql', detailsOf([{ body: 'I look at it', system: false, createdAt: '2024-03-01T00:00:00Z' }]))
  afterFirstCopy(source, () => {
    source.answers.set('/projects/12/vulnerabilities', flaws.slice(0, 1))
    source.answers.set('graphql', detailsOf([]))
  })
  const mirror = await mirrorFrom(source, target, '--rounds', '2', '--interval', day, '--delete-after', '1')
  const [first, second] = reportsOf(mirror)
  expect(first.notes.join()).not.toContain('missing')
  const { host } = new URL(source.url)
  expect(second.notes).toEqual(
    expect.arrayContaining([
      `vulnerability of shop/p12 ${host}:92 (Traversal): missing in the source`,
      'vulnerabilities that are missing in the source are kept, because no API deletes a single vulnerability',
      `vulnerability of shop/p12 ${host}:91: 1 of its comments was deleted or edited in the source, and the target keeps the former text`,
    ]),
  )
  const { body: kept } = await target.admin.get('/projects/shop%2Fp12/vulnerabilities')
  expect(kept.map(({ title }: { title: string }) => title)).toEqual(['Injection', 'Traversal'])
})

test('a mirror keeps everything when the source shows nothing any more, and leaves detached objects alone', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  afterFirstCopy(source, async () => {
    const { body: project } = await target.admin.get('/projects/shop%2Fp11')
    expect((await target.admin.delete(`/projects/${project.id}/mirror`)).status).toBe(204)
    expect((await target.admin.put(`/projects/${project.id}`, { description: 'Ours' })).status).toBe(200)
    source.faults.set('/projects/13/vulnerabilities', (response) => {
      for (const path of ['/groups/shop', '/groups/3', '/projects/12', '/projects/13']) source.answers.delete(path)
      source.answers.set('/groups/3/projects', [])
      reply(response, 200, [])
    })
  })
  const mirror = await mirrorFrom(source, target, '--rounds', '4', '--interval', day, '--delete-after', '1')
  const [, second, ...others] = reportsOf(mirror)
  expect(second.notes).toContain('project shop/p11: detached from its source')
  expect(others).toEqual([])
  expect(mirror.stderr.match(/The copy failed and is repeated/g)).toHaveLength(2)
  expect((await target.admin.get('/projects')).body).toHaveLength(3)
  expect((await target.admin.get('/projects/shop%2Fp11')).body).toMatchObject({ description: 'Ours' })
})

test('a mirror deletes nothing that its owner detaches during the copy, and keeps members whom it cannot read', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  afterFirstCopy(source, () => {
    source.answers.set('/groups/3/projects', [projectOf(11), projectOf(13)])
    source.answers.delete('/projects/12')
    source.faults.set('/users/7', (response) => reply(response, 403, { message: '403 Forbidden' }))
    afterFirstCopy(source, () =>
      afterFirstCopy(source, async () => {
        expect((await target.admin.delete('/projects/shop%2Fp12/mirror')).status).toBe(204)
      }),
    )
  })
  const mirror = await mirrorFrom(source, target, '--rounds', '3', '--interval', day, '--delete-after', '1')
  const [, second, third] = reportsOf(mirror)
  expect(second.notes).toContain('project shop/p12: missing in the source')
  expect(second.copied).not.toHaveProperty('member')
  expect(third.copied.project).not.toHaveProperty('deleted')
  expect((await target.admin.get('/projects/shop%2Fp12')).status).toBe(200)
  expect((await target.admin.get('/groups/shop/members')).body).toMatchObject([{ username: 'nadia' }])
})

test('a mirror copies a project at once that a webhook with the secret names', async () => {
  const [source, target, port] = [await filledSource(), await listeningServer(), await freePort()]
  const send = (body: object, token: string) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'x-gitlab-token': token },
    })
  afterFirstCopy(source, async () => {
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(405)
    expect((await send({ project: { id: 11 } }, 'another secret')).status).toBe(401)
    expect((await send({ object_kind: 'push', project_id: 12 }, secret)).status).toBe(202)
    source.requests.length = 0
  })
  const mirror = await mirrorFrom(source, target, '--rounds', '1', '--listen', `127.0.0.1:${port}`)
  expect(mirror).toMatchObject({ code: 0, stderr: `Listening for webhooks at 127.0.0.1:${port}.\n` })
  expect(reportsOf(mirror)[1]).toMatchObject({ copied: { project: { created: 0, unchanged: 1 } } })
  expect(source.requests).toContain('/projects/12/uploads')
  expect(source.requests).not.toContain('/projects/11/uploads')
})

test('the options of a mirror are checked', async () => {
  const [source, target] = [await filledSource(), await listeningServer()]
  const wrong = [
    [['--dry-run'], 'cannot be combined'],
    [['--listen', '0.0.0.0:9080'], 'loopback'],
    [['--interval', '0'], 'positive'],
    [['--local-changes', 'some'], 'none, triage, all'],
  ] as const
  for (const [options, message] of wrong) {
    expect(await mirrorFrom(source, target, ...options)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    })
  }
  const args = ['import', 'gitlab', '--from', source.url, '--token', 'glpat-source']
  const short = { env: { ...target.env, ALCOVE_MIRROR_SECRET: 'short' } }
  expect(await run([...args, '--mirror', '--listen', '127.0.0.1:9080'], short)).toMatchObject({ code: 2 })
  expect(await run([...args, '--rounds', '2'], short)).toMatchObject({ code: 2 })
})

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  await new Promise((resolve) => server.close(resolve))
  return port
}
