import { expect, test } from 'vitest'
import { formWithFile } from '../../testing/client.ts'
import { entry, sastReport } from '../../testing/reports.ts'
import { startServer } from '../../testing/server.ts'

test('race', { timeout: 200_000 }, async () => {
  const server = await startServer({ settings: { logLevel: 'error' } })
  const { admin } = server
  const seen = new Map<string, number>()
  const note = (what: string, r: any) => {
    const key = `${what} ${r.status}${r.status >= 400 ? ` ${r.text.slice(0, 80)}` : ''}`
    seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  const shuffle = <T,>(list: T[]) => list.map((v) => [Math.random(), v] as const).sort((a, b) => a[0] - b[0]).map(([, v]) => v)
  for (let round = 0; round < 25; round++) {
    const group = (await admin.post('/groups', { name: `g${round}`, path: `g${round}`, visibility: 'public' })).body
    const project = (await admin.post('/projects', { name: 'site', namespace_id: group.id, topics: ['a', 'b'] })).body
    const user = await server.user(`u${round}`)
    await admin.post(`/groups/${group.id}/members`, { user_id: user.user?.id, access_level: 50 })
    const report = JSON.stringify(sastReport([entry({ line: 1 }), entry({ line: 2 })]))
    await admin.post(`/projects/${project.id}/security_reports`, formWithFile('file', 'r.json', report))
    const finding = (await admin.get(`/projects/${project.id}/vulnerability_findings`)).body[0]
    const up = (await admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'x'))).body
    const topics = (await admin.get('/topics')).body
    const p = `/projects/${project.id}`
    const calls: [string, () => Promise<any>][] = [
      ['delete project', () => admin.delete(p)],
      ['delete group', () => admin.delete(`/groups/${group.id}`)],
      ['delete user', () => admin.delete(`/users/${user.user?.id}`)],
      ['upload', () => user.post(`${p}/uploads`, formWithFile('file', 'a.txt', 'x'))],
      ['upload2', () => admin.post(`${p}/uploads`, formWithFile('file', 'a.txt', 'x'))],
      ['group upload', () => user.post(`/groups/${group.id}/uploads`, formWithFile('file', 'a.txt', 'x'))],
      ['delete upload', () => user.delete(`${p}/uploads/${up.id}`)],
      ['restore upload', () => admin.post(`${p}/uploads/${up.id}/restore`)],
      ['report', () => user.post(`${p}/security_reports`, formWithFile('file', 'r.json', report, { promote: 'true' }))],
      ['report2', () => admin.post(`${p}/security_reports`, formWithFile('file', 'r.json', report))],
      ['promote', () => user.post(`${p}/vulnerabilities`, { finding_id: finding.id })],
      ['promote2', () => admin.post(`${p}/vulnerabilities`, { finding_id: finding.id })],
      ['topics', () => user.put(p, { topics: ['a', `n${round}`, 'c'] })],
      ['topics2', () => admin.put(p, { topics: ['b', `n${round}`] })],
      ['rename', () => user.put(p, { name: 'other', path: 'other' })],
      ['star', () => user.post(`${p}/star`)],
      ['star2', () => admin.post(`${p}/star`)],
      ['member', () => admin.post(`${p}/members`, { user_id: user.user?.id, access_level: 30 })],
      ['group member', () => admin.put(`/groups/${group.id}/members/${user.user?.id}`, { access_level: 40 })],
      ['token', () => admin.post(`/users/${user.user?.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] })],
      ['own token', () => user.post('/personal_access_tokens/self/rotate')],
      ['revoke', () => user.delete('/personal_access_tokens/self')],
      ['block', () => admin.post(`/users/${user.user?.id}/block`)],
      ['create project', () => user.post('/projects', { name: 'more', namespace_id: group.id })],
      ['create project', () => admin.post('/projects', { name: 'more', namespace_id: group.id })],
      ['create own', () => user.post('/projects', { name: 'own' })],
      ['create for', () => admin.post(`/projects/user/${user.user?.id}`, { name: 'own' })],
      ['subgroup', () => user.post('/groups', { name: 'sub', path: 'sub', parent_id: group.id })],
      ['same group', () => admin.post('/groups', { name: 'sub', path: 'sub', parent_id: group.id })],
      ['rename group', () => admin.put(`/groups/${group.id}`, { path: `h${round}` })],
      ['delete topic', () => admin.delete(`/topics/${topics[0]?.id}`)],
      ['delete topic', () => admin.delete(`/topics/${topics[0]?.id}`)],
      ['merge', () => admin.post('/topics/merge', { source_topic_id: topics[0]?.id, target_topic_id: topics[1]?.id })],
      ['merge back', () => admin.post('/topics/merge', { source_topic_id: topics[1]?.id, target_topic_id: topics[0]?.id })],
      ['update topic', () => admin.put(`/topics/${topics[0]?.id}`, { title: 'x' })],
      ['create topic', () => admin.post('/topics', { name: `n${round}`, title: 'x' })],
      ['create user', () => admin.post('/users', { username: `v${round}`, name: 'v', email: `v${round}@x.test`, password: 'correct horse battery' })],
      ['create user', () => admin.post('/users', { username: `v${round}`, name: 'v', email: `v${round}@x.test`, password: 'correct horse battery' })],
      ['list', () => user.get(`${p}/vulnerabilities`)],
      ['list', () => user.get(`${p}/uploads`)],
      ['impersonate', () => admin.get(`/user?sudo=u${round}`)],
      ['impersonate upload', () => admin.post(`${p}/uploads?sudo=u${round}`, formWithFile('file', 'a.txt', 'x'))],
    ]
    // Half of the rounds without the big hammers, so that the rest meet each other.
    const chosen = round % 2 ? calls : calls.filter(([what]) => !['delete project', 'delete group', 'delete user'].includes(what) || Math.random() < 0.3)
    await Promise.all(shuffle(chosen).map(async ([what, call]) => note(what, await call())))
  }
  const bad = [...seen].filter(([key]) => / 5\d\d/.test(key))
  console.log([...seen].sort().map(([k, n]) => `${n} ${k}`).join('\n'))
  expect(bad).toEqual([])
})
