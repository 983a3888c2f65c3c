import { beforeAll, describe, expect, test } from 'vitest'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

const pathOf = (project: TestProject) => `/projects/${project.id}/vulnerabilities/badge`
const titleOf = (svg: string) => /<title>(.*)<\/title>/.exec(svg)?.[1]

const flaws = (severities: readonly string[]) =>
  severities.map((severity, line) => entry({ severity, line: line + 1, rule: `r${line}` }))

describe('the badge of a project', () => {
  test('shows open critical and high vulnerabilities, or the grade, with an accessible title', async () => {
    const project = await server.project('badges/site')
    const read = async (query = '') => (await server.admin.get(`${pathOf(project)}.svg${query}`)).text
    expect(titleOf(await read())).toBe('vulnerabilities: unknown')
    expect(titleOf(await read('?show=grade'))).toBe('security grade: unknown')
    await server.report(project, flaws(['Critical', 'High', 'High', 'Low']))
    const svg = await read()
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .* role="img" aria-label="vulnerabilities: 1 critical, 2 high">/,
    )
    expect(titleOf(svg)).toBe('vulnerabilities: 1 critical, 2 high')
    expect(svg).not.toMatch(/<script|href|url\((?!#round)/)
    expect(titleOf(await read('?show=grade'))).toBe('security grade: F')
    await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes`, { action: 'resolve', filter: {} })
    expect(titleOf(await read())).toBe('vulnerabilities: no critical or high')
    expect((await server.admin.get(`${pathOf(project)}.svg?show=all`)).status).toBe(400)
  })

  test('is cached by its ETag until the numbers change', async () => {
    const project = await server.project('badges/cached')
    await server.report(project, flaws(['High']))
    const first = await server.admin.get(`${pathOf(project)}.svg`)
    expect(first.headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
    const headers = { 'if-none-match': first.headers['etag'] as string }
    expect((await server.admin.get(`${pathOf(project)}.svg`, { headers })).status).toBe(304)
    await server.report(project, flaws(['High', 'Critical']))
    expect((await server.admin.get(`${pathOf(project)}.svg`, { headers })).status).toBe(200)
  })

  test('needs an import that leaves nothing to triage before it says that there is nothing', async () => {
    const project = await server.project('badges/waiting')
    await server.report(project, flaws(['Critical']), { promote: 'false' })
    const { text } = await server.admin.get(`${pathOf(project)}.svg`)
    expect(titleOf(text)).toBe('vulnerabilities: needs triage')
  })

  test('is visible to developers only, until a maintainer publishes it at an address that can be revoked', async () => {
    const project = await server.project('badges/published')
    await server.report(project, flaws(['High']))
    const [guest, developer] = [await server.as('guest', project), await server.as('developer', project)]
    const maintainer = await server.as('maintainer', project)
    for (const path of [pathOf(project), `${pathOf(project)}.svg`]) {
      expect((await guest.get(path)).status).toBe(403)
      expect((await server.anonymous.get(path)).status).toBeGreaterThanOrEqual(401)
      expect((await developer.get(path)).status).toBe(200)
    }
    for (const send of [developer.post, developer.delete]) expect((await send(pathOf(project))).status).toBe(403)
    expect((await maintainer.delete(pathOf(project))).status).toBe(404)
    const { status, body } = await maintainer.post(pathOf(project))
    expect(status).toBe(201)
    const address = (url: string) => `/${new URL(url).pathname}`
    expect(body.public_url).toMatch(/\/-\/badges\/[0-9a-f]{32}\.svg$/)
    expect((await developer.get(pathOf(project))).body).toEqual(body)
    const shown = await server.anonymous.get(address(body.public_url))
    expect(titleOf(shown.text)).toBe('vulnerabilities: 1 high')
    expect(shown.headers['cache-control']).toBe('public, max-age=300')
    expect(titleOf((await server.anonymous.get(`${address(body.public_url)}?show=grade`)).text)).toContain('grade: D')

    const rotated = (await maintainer.post(pathOf(project))).body
    expect((await server.anonymous.get(address(body.public_url))).status).toBe(404)
    expect((await maintainer.delete(pathOf(project))).status).toBe(204)
    expect((await server.anonymous.get(address(rotated.public_url))).status).toBe(404)
    expect((await developer.get(pathOf(project))).body).toMatchObject({ public_url: null, published_at: null })
  })
})
