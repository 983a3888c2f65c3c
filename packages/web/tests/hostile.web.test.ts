/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../../server/src/testing/client.ts'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import { quiet, startWeb, visit, type Web } from './web.ts'

const script = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>"\'`</title></textarea>\u202Etxt.exe'
const long = 'W'.repeat(150)
const text = `${script} ${long}`
const wrong = ['javascript:window.ran=1', ' javascript:window.ran=1', 'data:text/html,<script>window.ran=1</script>']
const markdown = [
  text,
  ...wrong.flatMap((url) => [`[link](${url})`, `![picture](${url})`, `<${url.trim()}>`]),
  '<iframe srcdoc="<script>top.ran=1</script>"></iframe><svg onload=window.ran=1><style>*{display:none}</style>',
  '<a href="jav&#x09;ascript:window.ran=1" style="position:fixed;inset:0">x</a><form action=//evil.example><button>y',
  `| ${long} | ${long} |\n|---|---|\n| ${long} | ${script} |`,
  '```"><script>window.ran=1</script>\n</code></pre><script>window.ran=1</script>\n```',
].join('\n\n')

let web: Web
let places: string[]
beforeAll(async () => {
  web = await startWeb()
  const { admin } = web.server
  const made = async (path: string, body: unknown) => {
    const reply = await admin.post(path, body)
    expect(reply.status, `${path}: ${reply.text}`).toBeLessThan(300)
    return reply.body
  }
  const user = await made('/users', {
    username: 'u'.repeat(100),
    name: `<img src=x onerror=window.ran=1>${'W'.repeat(90)}`,
    email: 'hostile@example.test',
    password: 'correct horse battery',
    bio: text.slice(0, 250),
  })
  const group = await made('/groups', { name: `G ${long}`, path: 'g'.repeat(120), description: text })
  const topic = await made('/topics', {
    name: `t${script.slice(0, 60)}`,
    title: text.slice(0, 200),
    description: markdown.slice(0, 1000),
  })
  const project = await made('/projects', {
    name: `P ${long}`,
    path: 'p'.repeat(120),
    namespace_id: group.id,
    description: markdown.slice(0, 1900),
    topics: [topic.name, `other ${long}`],
  })
  await made(`/projects/${project.id}/members`, { user_id: user.id, access_level: 30 })
  await made(`/users/${user.id}/personal_access_tokens`, { name: text.slice(0, 200), scopes: ['api'] })
  await made('/organizations', { name: `O ${long}`, path: 'o'.repeat(100), description: text })
  await made(`/projects/${project.id}/hooks`, {
    url: `https://example.test/${encodeURIComponent(script)}${long}`,
    name: text.slice(0, 200),
    description: text,
    vulnerability_events: true,
  })
  const names = ['"><img src=x onerror=window.ran=1>.html', `${long}\u202Egnp.svg`, 'line\nbreak\t.md', 'a\'b"c.txt']
  for (const name of names) await made(`/projects/${project.id}/uploads`, formWithFile('file', name, markdown))
  const base = entry({ line: 10 })
  const report = sastReport([
    {
      ...base,
      name: text,
      description: markdown,
      solution: markdown,
      location: { file: `<b>${long}`, start_line: 10 },
      links: wrong.map((url) => ({ name: script, url })),
      identifiers: wrong.map((url, index) => ({ type: 'x', name: `${script} ${index}`, value: text, url })),
    },
  ])
  const reportForm = formWithFile('file', `${script}.json`, JSON.stringify(report))
  reportForm.append('promote', 'true')
  reportForm.append('category', `${script}${long}`.slice(0, 255))
  const imported = await made(`/projects/${project.id}/security_reports`, reportForm)
  const [finding] = (await admin.get(`/projects/${project.id}/vulnerability_findings`)).body
  const [{ id }] = (await admin.get(`/projects/${project.id}/vulnerabilities`)).body
  await made(`/projects/${project.id}/vulnerabilities/${id}/notes`, { body: markdown })
  const [hook] = (await admin.get(`/projects/${project.id}/hooks`)).body
  const [upload] = (await admin.get(`/projects/${project.id}/uploads`)).body
  const at = `/${project.path_with_namespace}`
  places = [
    '/',
    '/explore/projects',
    '/explore/groups',
    '/explore/topics',
    `/explore/topics/${encodeURIComponent(topic.name)}`,
    `/${user.username}`,
    '/-/profile',
    '/-/profile/tokens',
    '/-/profile/notifications',
    at,
    ...[
      'vulnerabilities',
      'findings',
      'reports',
      `reports/${imported.id}`,
      'reports/new',
      'uploads',
      `uploads?preview=${upload.id}`,
      'uploads/pad',
      'members',
      'settings',
      'settings/hooks',
      `settings/hooks/${hook.id}`,
      `vulnerabilities/${id}`,
      `findings/${finding.id}`,
    ].map((part) => `${at}/-/${part}`),
    `/groups/${group.full_path}`,
    ...['vulnerabilities', 'uploads', 'members', 'settings'].map((part) => `/groups/${group.full_path}/-/${part}`),
    ...[
      '',
      '/users',
      `/users/${user.id}`,
      '/tokens',
      '/topics',
      `/topics/${topic.id}`,
      '/topics/duplicates',
      '/topics/merges',
      '/jobs',
      '/storage',
      '/organizations',
      '/settings',
    ].map((part) => `/-/admin${part}`),
  ]
})
afterAll(() => web?.close())

test('hostile texts are shown as text on every page, at 360 and 2560 pixels', async () => {
  const page = await web.open('/', { as: web.server.admin, width: 360, expects: /40[34] \(/ })
  const problems: unknown[] = []
  for (const place of places) {
    await page.setViewportSize({ width: 360, height: 800 })
    await visit(page, place)
    const narrow = await look(page)
    await page.setViewportSize({ width: 2560, height: 800 })
    await quiet(page)
    for (const seen of [narrow, await look(page)]) {
      if (seen.ran || seen.wide > 0 || seen.links.length > 0 || seen.broken || seen.isFailed)
        problems.push({ place: place.replace(/([a-z])\1{9,}/g, '$1…'), ...seen })
    }
  }
  expect(problems).toEqual([])
}, 240_000)

const look = (page: Page) =>
  page.evaluate(() => ({
    width: innerWidth,
    ran: 'ran' in window,
    wide: document.documentElement.scrollWidth - innerWidth,
    links: [...document.querySelectorAll('[href], [src], [action]')]
      .map(
        (element) =>
          element.getAttribute('href') ?? element.getAttribute('src') ?? element.getAttribute('action') ?? '',
      )
      // The x is the source of the image, which Markdown may contain.
      .filter((url) => !/^(https?:|blob:|[/#?]|x$)/i.test(url)),
    broken:
      document.body.innerText.includes('The page could not be displayed') || document.querySelector('h1') === null,
    isFailed: document.querySelector('main [role=alert]')?.textContent || undefined,
  }))
