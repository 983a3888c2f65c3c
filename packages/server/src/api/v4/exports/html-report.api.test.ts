import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
const clock = { now: '2026-03-01T12:00:00.000Z' }
beforeAll(async () => {
  server = await startServer({ clock })
})

/** Requests a report and returns its document. */
async function reportOf(of: string, client: Client = server.admin, fields: object = {}) {
  const path = `/security${of}/vulnerability_exports`
  const requested = await client.post(path, { export_format: 'html', ...fields })
  expect(requested.text).toContain('"format":"html"')
  await server.runJobs()
  const found = await client.get(`/security/vulnerability_exports/${requested.body.id}`)
  expect(found.body).toMatchObject({ status: 'finished', error: null })
  return client.get(`/security/vulnerability_exports/${requested.body.id}/download`)
}

/** Returns the texts of the cells of each row of the table with this caption. */
function tableIn(document: string, caption: string): string[][] {
  const table = document.split('<table>').find((text) => text.includes(`<caption>${caption}</caption>`)) ?? ''
  const rows = table.split('<tr>').slice(2)
  return rows.map((row) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '').trim()),
  )
}

describe('an HTML report', () => {
  test('of a project has the summary, ages, accepted risks and changes', async () => {
    clock.now = '2026-01-01T12:00:00.000Z'
    const project = await server.project('reports/site')
    const old = ['Old one', 'Accepted', 'Resolved'].map((name, line) =>
      entry({ name, severity: 'High', rule: `old-${line}`, line: line + 1 }),
    )
    await server.report(project, old)
    clock.now = '2026-02-26T12:00:00.000Z'
    await server.report(project, [...old, entry({ name: 'Fresh', severity: 'Critical', rule: 'fresh', line: 9 })])
    const { Accepted, Resolved, Fresh } = await vulnerabilitiesOf(server, project)
    const maintainer = await server.as('maintainer', project)
    await server.deps.db.run(
      sql`update vulnerabilities set assignee_id = ${maintainer.user?.id} where id = ${Fresh.id}`,
    )
    const fields = { dismissal_reason: 'acceptable_risk', comment: 'Internal network only', until: '2026-12-31' }
    await maintainer.post(`/vulnerabilities/${Accepted.id}/dismiss`, fields)
    await maintainer.post(`/vulnerabilities/${Resolved.id}/resolve`)
    clock.now = '2026-03-01T12:00:00.000Z'
    const { text, headers, status } = await reportOf(`/projects/${project.id}`, maintainer)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="reports-site_report_2026-03-01T1200\.html"/),
      'content-security-policy': expect.stringContaining('sandbox'),
    })
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(text).not.toMatch(/<script|<link|src=|@import|url\(/i)
    expect(tableIn(text, 'Vulnerabilities by severity and status').slice(0, 2)).toEqual([
      ['Critical', '1', '0', '0', '0'],
      ['High', '1', '0', '1', '1'],
    ])
    expect(tableIn(text, 'Open vulnerabilities by time since detection')).toEqual([
      ['up to 7 days', '', '1', '0', '0', '0', '0', '0', '1', '0'],
      ['8 to 30 days', '', '0', '0', '0', '0', '0', '0', '0', '0'],
      ['31 to 90 days', '', '0', '1', '0', '0', '0', '0', '1', '0'],
      ['91 to 365 days', '', '0', '0', '0', '0', '0', '0', '0', '0'],
      ['more than 365 days', '', '0', '0', '0', '0', '0', '0', '0', '0'],
    ])
    expect(tableIn(text, 'Open vulnerabilities by assignee')).toEqual([
      ['Unassigned', '', '0', '1', '0', '0', '0', '0', '1'],
      [maintainer.user?.username, '', '1', '0', '0', '0', '0', '0', '1'],
    ])
    expect(tableIn(text, 'Accepted and mitigated risks, most severe first')).toEqual([
      [
        ...['Accepted', 'High', 'reports/site', 'Acceptable risk', 'Internal network only'],
        ...[maintainer.user?.username, '2026-02-26', '2026-12-31'],
      ],
    ])
    expect(tableIn(text, 'Changes by severity').slice(0, 2)).toEqual([
      ['Critical', '1', '0', '0'],
      ['High', '0', '1', '1'],
    ])
    expect(tableIn(text, 'Newest vulnerabilities of this period').map(([title]) => title)).toEqual(['Fresh'])
    expect(text).toContain('Open vulnerabilities from 2025-03-02 to 2026-03-01: 0 at the beginning')

    // The next report has the changes since this one.
    clock.now = '2026-03-02T12:00:00.000Z'
    const next = (await reportOf(`/projects/${project.id}`, maintainer)).text
    expect(next).toContain('Since the previous report, <time datetime="2026-03-01T12:00:00.000Z">')
    expect(tableIn(next, 'Changes by severity').slice(0, 2)).toEqual([
      ['Critical', '0', '0', '0'],
      ['High', '0', '0', '0'],
    ])
    const since = { changes_since: '2025-12-01T00:00:00Z' }
    const long = (await reportOf(`/projects/${project.id}`, maintainer, since)).text
    expect(tableIn(long, 'Changes by severity')[1]).toEqual(['High', '3', '1', '1'])
  })

  test('escapes every text of a report', async () => {
    const project = await server.project('hostile/site')
    const name = '"><script>alert(1)</script><img src=x onerror=alert(1)>&amp;'
    await server.report(project, [entry({ name, severity: 'Critical', rule: 'hostile' })])
    const [found] = Object.values(await vulnerabilitiesOf(server, project))
    const { text: open } = await reportOf(`/projects/${project.id}`)
    expect(open).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
    const dismissal = { dismissal_reason: 'acceptable_risk', comment: '<style>*{display:none}</style>\u202e' }
    await server.admin.post(`/vulnerabilities/${found.id}/dismiss`, dismissal)
    const { text: accepted } = await reportOf(`/projects/${project.id}`)
    expect(accepted).toContain('&lt;style&gt;*{display:none}&lt;/style&gt;')
    for (const document of [open, accepted]) {
      expect(document).not.toMatch(/<script|<img|onerror=alert\(1\)>|\u202e/)
      expect(document.match(/<style>/g)).toHaveLength(1)
    }
  })

  test('of a group has its projects, and lists at most 200 vulnerabilities with their total', async () => {
    const [one, two] = [await server.project('wide/one'), await server.project('wide/two')]
    const flaws = (count: number) =>
      Array.from({ length: count }, (_, line) => entry({ line: line + 1, rule: `r${line}` }))
    await server.report(one, flaws(230))
    await server.report(two, flaws(3))
    const { text } = await reportOf(`/groups/${one['namespace'].id}`)
    const listed = tableIn(text, 'Open vulnerabilities, most severe first')
    expect(listed).toHaveLength(200)
    expect(text).toContain('The first 200 of 233. A report lists at most 200.')
    expect(tableIn(text, 'Open vulnerabilities by project').map((row) => [row[0], row.at(-2)])).toEqual([
      ['wide/one', '230'],
      ['wide/two', '3'],
    ])
  })

  test('of the instance has only projects that its author may read', async () => {
    const [own, hidden] = [await server.project('scope/own'), await server.project('scope/hidden')]
    for (const project of [own, hidden]) await server.report(project, [entry({ name: `Flaw of ${project.id}` })])
    const developer = await server.as('developer', own)
    const { text } = await reportOf('', developer)
    expect(text).toContain(`Flaw of ${own.id}`)
    expect(text).not.toContain(`Flaw of ${hidden.id}`)
    const { text: narrowed } = await reportOf('', server.admin, { filters: { project_id: [hidden.id] } })
    expect(narrowed).toContain(`Flaw of ${hidden.id}`)
    expect(narrowed).not.toContain(`Flaw of ${own.id}`)
  })

  test('takes no other filter than project_id, and other formats take no changes_since', async () => {
    const project = await server.project('filters/site')
    const request = (fields: object) =>
      server.admin.post(`/security/projects/${project.id}/vulnerability_exports`, fields)
    expect(await request({ export_format: 'html', filters: { severity: 'high' } })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('its only filter is project_id, not severity') },
    })
    const since = { changes_since: '2026-01-01T00:00:00Z' }
    expect((await request({ export_format: 'csv', ...since })).status).toBe(400)
    expect((await request({ export_format: 'html', changes_since: 'yesterday' })).status).toBe(400)
  })

  test('of an empty project says so', async () => {
    const project: TestProject = await server.project('empty/site')
    const { text } = await reportOf(`/projects/${project.id}`)
    expect(text).toContain('<dt>Grade</dt><dd>none</dd>')
    expect(text.match(/<p>None\.<\/p>/g)).toHaveLength(4)
  })
})
