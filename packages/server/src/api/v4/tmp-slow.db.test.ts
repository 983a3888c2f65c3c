import { test } from 'vitest'
import { formWithFile } from '../../testing/client.ts'
import { noise } from '../../testing/hostile/values.ts'
import { entry, sastReport } from '../../testing/reports.ts'
import { startServer } from '../../testing/server.ts'

test('slow', { timeout: 400_000 }, async () => {
  const server = await startServer({ settings: { logLevel: 'error' } })
  const { admin } = server
  const project = await server.project('acme/site')
  const out: string[] = []
  let worst = 0
  let last = performance.now()
  const timer = setInterval(() => { const now = performance.now(); worst = Math.max(worst, now - last); last = now }, 5)
  const time = async (what: string, call: () => Promise<any>) => {
    worst = 0; last = performance.now()
    const t = performance.now()
    const r = await call()
    await new Promise((f) => setTimeout(f, 10))
    out.push(`${(performance.now() - t).toFixed(0).padStart(6)} ms, blocked ${worst.toFixed(0).padStart(5)}: ${what} ${r.status} ${r.text.slice(0, 60)}`)
  }
  const p = `/projects/${project.id}`
  const names = (n: number, prefix = 't') => Array.from({ length: n }, (_, i) => `${prefix}${i}`)
  for (const n of [100, 1000, 10_000]) await time(`${n} topics`, () => admin.put(p, { topics: names(n, `x${n}-`) }))
  await time('get', () => admin.get(p))
  await time('list projects', () => admin.get('/projects'))
  await time('no topics', () => admin.put(p, { topics: [] }))
  await time('topic= 4000 unknown', () => admin.get(`/projects?topic=${names(2500, 'u').join(',')}`))
  await time('topic= 2000 known', () => admin.get(`/projects?topic=${names(1000, 'x1000-').join(',')}`))
  const words = noise(9, 'abcdefg   ', 15000).split(/\s+/).filter((w) => w.length >= 3)
  await time(`topics search ${words.length} words`, () => admin.get(`/topics?search=${words.join('+')}`))
  await time('projects search', () => admin.get(`/projects?search=${words.join('+')}`))
  await time('projects search ns', () => admin.get(`/projects?search_namespaces=true&search=${words.join('+')}`))
  await time('topics search long', () => admin.get(`/topics?search=${noise(3, 'abc', 15000)}`))
  await time('topics search aaa', () => admin.get(`/topics?search=${'a'.repeat(15000)}`))
  await time('users search', () => admin.get(`/users?search=${noise(3, 'abc', 15000)}`))
  await time('groups search', () => admin.get(`/groups?search=${words.join('+')}`))
  await time('members query', () => admin.get(`${p}/members/all?query=${words.join('+')}`))
  await time('uploads search', () => admin.get(`${p}/uploads?search=${noise(3, 'abc', 15000)}`))
  await time('members user_ids', () => admin.get(`${p}/members?${names(1000).map((_, i) => `user_ids[]=${i}`).join('&')}`))
  await time('skip_groups', () => admin.get(`/groups?${names(1000).map((_, i) => `skip_groups[]=${i}`).join('&')}`))
  await time('pairs', () => admin.post('/topics', new URLSearchParams(Array.from({ length: 4000 }, (_, i) => [`a[${'x]['.repeat(30)}${i}]`, 'y'] as [string, string]))))
  await time('pairs 2', () => admin.post('/topics', new URLSearchParams(Array.from({ length: 4096 }, (_, i) => [`a[][b${i}]`, 'y'] as [string, string]))))
  await time('pairs 3', () => admin.post('/topics', new URLSearchParams(Array.from({ length: 4096 }, () => [`a[]${'[b]'.repeat(30)}`, 'y'] as [string, string]))))
  await time('json keys', () => admin.post('/topics', Object.fromEntries(names(200_000).map((n) => [n, 1]))))
  await time('json list', () => admin.post('/topics', { name: Array.from({ length: 1_000_000 }, () => 1) }))
  await time('json deep', () => admin.post('/topics', Buffer.from('['.repeat(2_000_000)), { headers: { 'content-type': 'application/json' } }))
  await time('json text', () => admin.post('/topics', { name: 'a', title: 'x'.repeat(4_000_000) }))
  await time('json spaces', () => admin.post('/topics', { name: ' '.repeat(4_000_000), title: 'x' }))
  await time('json spaces 2', () => admin.post('/topics', { name: `${' '.repeat(2_000_000)}x${' '.repeat(2_000_000)}`, title: 'x' }))
  await time('email', () => admin.post('/users', { username: 'b'.repeat(4_000_000), name: 'x', email: `${'a.'.repeat(1_000_000)}@${'b.'.repeat(900_000)}`, password: 'correct horse battery' }))
  await time('group name', () => admin.post('/groups', { name: 'a '.repeat(1_000_000), path: 'a-'.repeat(900_000) }))
  await time('project name', () => admin.post('/projects', { name: `ß${'A-'.repeat(1_900_000)}` }))
  await time('branch', () => admin.put(p, { default_branch: 'a/'.repeat(1_900_000) }))
  for (const unit of ['a.', '../', '\\', '\u0301', ' ', '.', 'ÿ', '😀']) {
    await time(`filename ${unit}`, () => admin.post(`${p}/uploads`, formWithFile('file', unit.repeat(15_000 / unit.length), 'x')))
  }
  await time('disposition', () => admin.post(`${p}/uploads`, Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"${'; a'.repeat(5000)}\r\n\r\nx\r\n--b--`), { headers: { 'content-type': 'multipart/form-data; boundary=b' } }))
  await time('disposition 2', () => admin.post(`${p}/uploads`, Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; filename="${'\\"'.repeat(7000)}\r\n\r\nx\r\n--b--`), { headers: { 'content-type': 'multipart/form-data; boundary=b' } }))
  await time('parts', () => admin.post(`${p}/uploads`, Buffer.from(`${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'.repeat(1001)}--b--`), { headers: { 'content-type': 'multipart/form-data; boundary=b' } }))
  await time('boundary', () => admin.post(`${p}/uploads`, Buffer.from('-'.repeat(7_000_000)), { headers: { 'content-type': `multipart/form-data; boundary=${'-'.repeat(70)}` } }))
  await time('boundary 2', () => admin.post(`${p}/uploads`, Buffer.from(`--${'-'.repeat(70)}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'\r\n-'.repeat(4_000_000)}`), { headers: { 'content-type': `multipart/form-data; boundary=${'-'.repeat(70)}` } }))
  await time('cookie', () => admin.get('/user', { headers: { cookie: `${'alcove_session=;'.repeat(900)}` } }))
  await time('authorization', () => server.anonymous.get('/user', { headers: { authorization: `Bearer ${' '.repeat(14_000)}x y` } }))
  await time('if-none-match', () => admin.get('/topics', { headers: { 'if-none-match': ', '.repeat(7000) } }))
  await time('range', () => admin.get(`${p}/uploads/1`, { headers: { range: `bytes=${' '.repeat(14_000)}x` } }))
  await time('range 2', () => admin.get(`${p}/uploads/1`, { headers: { range: `bytes=${'9'.repeat(14_000)}-` } }))
  const big = (n: number) => JSON.stringify(sastReport(Array.from({ length: n }, (_, line) => ({ ...entry({ line }) }))))
  await time('report 5000', () => admin.post(`${p}/security_reports`, formWithFile('file', 'r.json', big(5000), { promote: 'true' })))
  const strange = sastReport([entry()]) as any
  strange.vulnerabilities[0].identifiers = Array.from({ length: 100_000 }, (_, i) => ({ type: `t${i}`, name: `n${i}`, value: `v${i}` }))
  await time('100k identifiers', () => admin.post(`${p}/security_reports`, formWithFile('file', 'r.json', JSON.stringify(strange))))
  strange.vulnerabilities = [{ ...entry(), description: ' '.repeat(5_000_000), name: 'a'.repeat(3_000_000), cve: ':'.repeat(3_000_000) }]
  await time('long texts', () => admin.post(`${p}/security_reports`, formWithFile('file', 'r.json', JSON.stringify(strange))))
  await time('deep report', () => admin.post(`${p}/security_reports`, formWithFile('file', 'r.json', '['.repeat(3_000_000))))
  await time('not json', () => admin.post(`${p}/security_reports`, formWithFile('file', 'r.json', `{"version":"15.0.0","vulnerabilities":[${'{"a":1},'.repeat(500_000)}`)))
  await time('wrong everything', () => admin.post(`${p}/security_reports`, formWithFile('file', 'r.json', JSON.stringify(sastReport(Array.from({ length: 50_000 }, () => ({})))))))
  await time('vulnerabilities', () => admin.get(`${p}/vulnerabilities?per_page=100`))
  clearInterval(timer)
  console.log(out.join('\n'))
})
