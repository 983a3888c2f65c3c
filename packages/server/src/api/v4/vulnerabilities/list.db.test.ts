import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject
let developer: Client

const all: readonly Partial<MadeUp>[] = [
  { title: 'Log4Shell', severity: 'critical', reportType: 'dependency_scanning', scanner: 'gemnasium' },
  { title: 'Token in code', severity: 'high', reportType: 'secret_detection', scanner: 'gitleaks', state: 'confirmed' },
  { state: 'dismissed', dismissalReason: 'used_in_tests', file: 'test/hash.ts' },
  { state: 'resolved', isResolvedOnDefaultBranch: true },
  { title: 'Only on a branch', isOnDefaultBranch: false, refs: ['feature/x'], severity: 'critical' },
  { severity: 'info' },
  { title: 'Gone from its branch', isOnDefaultBranch: false, refs: [], state: 'dismissed' },
]

beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/site')
  developer = await server.as('developer', project)
  const identifiers = (index: number) => (index === 0 ? ['CVE-2021-44228', 'CWE-502'] : ['CWE-327'])
  const made = all.map((fields, index) => ({
    ...usual,
    identifiers: identifiers(index),
    ...fields,
    id: index + 1,
    projectId: project.id,
  }))
  await insertMadeUp(server.deps.db, made, server.deps.now())
})

const list = (query: string) => developer.get(`/projects/${project.id}/vulnerabilities?${query}`)

async function ids(query: string): Promise<number[]> {
  const { status, body, headers } = await list(query)
  expect(status).toBe(200)
  expect(headers['x-total']).toBe(String(body.length))
  return body.map(({ id }: { id: number }) => id)
}

describe('the list of vulnerabilities', () => {
  test.each([
    ['', [1, 2, 4, 3, 6]],
    ['state=detected', [1, 6]],
    ['state=opened', [1, 6]],
    ['state=confirmed,dismissed', [2, 3]],
    ['state[]=confirmed&state[]=resolved', [2, 4]],
    ['severity=critical,info', [1, 6]],
    ['report_type=secret_detection', [2]],
    ['scanner=gitleaks,gemnasium', [1, 2]],
    ['scanner=nobody', []],
    ['identifier=cve-2021-44228', [1]],
    ['identifier[]=CWE-502&identifier[]=CVE-1', [1]],
    ['identifier=CWE-50', []],
    ['search=HASH', [4, 3, 6]],
    ['search=test%2Fhash', [3]],
    ['search=44228', [1]],
    ['search=%20', [1, 2, 4, 3, 6]],
    ['ref=feature%2Fx', [5]],
    ['ref=main&severity=critical', [1]],
    ['not_on=main', []],
    ['not_on=feature%2Fx', [1, 2, 4, 3, 6]],
    ['ref=feature%2Fx&not_on=main', [5]],
    ['ref=feature%2Fx&not_on=feature%2Fx', []],
    ['present_on_default_branch=true', [1, 2, 4, 3, 6]],
    ['present_on_default_branch=false', [5, 7]],
    ['present_on_default_branch=false&search=branch&state=dismissed', [7]],
    ['present_on_default_branch=false&ref=feature%2Fx', [5]],
    ['present_on_default_branch=true&ref=feature%2Fx', []],
    ['has_resolution=true', [4]],
    ['has_resolution=false&state=resolved', []],
    ['dismissal_reason=used_in_tests', [3]],
    ['dismissal_reason=false_positive', []],
    ['dismissal_reason=used_in_tests&state=confirmed', [2, 3]],
    ['sort=severity_asc', [6, 4, 3, 2, 1]],
    ['sort=detected_desc', [6, 4, 3, 2, 1]],
    ['sort=detected_asc', [1, 2, 3, 4, 6]],
    ['state=detected&search=hash&sort=detected_asc', [6]],
    ['unknown=parameter', [1, 2, 4, 3, 6]],
  ])('with %s has the matching rows and an exact total', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })

  test.each([
    ['state=open', 'state does not have a valid value'],
    ['state=detected,closed', 'state does not have a valid value'],
    ['severity=BAD', 'severity does not have a valid value'],
    ['report_type=poetry', 'report_type does not have a valid value'],
    ['sort=title', 'sort does not have a valid value'],
    ['dismissal_reason=lazy', 'dismissal_reason does not have a valid value'],
    ['present_on_default_branch=x', 'present_on_default_branch is invalid'],
    ['has_resolution=perhaps', 'has_resolution is invalid'],
    ['has_issue=x', 'has_issue is invalid'],
    ['owasp_top_ten=a11_2021', 'owasp_top_ten does not have a valid value'],
    ['owasp_top_ten=none,a1_2021', 'owasp_top_ten: none cannot be combined with other values'],
    ['ref=', 'ref is empty'],
    ['pagination=keyset&cursor=bm9uc2Vuc2U', 'cursor is invalid'],
    [`pagination=keyset&cursor=${Buffer.from('5:1:007').toString('base64url')}`, 'cursor is invalid'],
    ['state=x&sort=y', 'state does not have a valid value, sort does not have a valid value'],
  ])('rejects %s', async (query, error) => {
    expect(await list(query)).toMatchObject({ status: 400, body: { error } })
  })

  test('follows keyset pages to the end with filters, without a total', async () => {
    const seen: number[] = []
    const cut = (link: string) => /<http:\/\/[^/]+\/api\/v4([^>]+)>; rel="next"/.exec(link)?.[1] ?? ''
    let path = `/projects/${project.id}/vulnerabilities?pagination=keyset&per_page=2&severity=critical,high,medium`
    for (let pages = 0; path !== '' && pages < 5; pages++) {
      const { status, body, headers } = await developer.get(path)
      expect(status).toBe(200)
      expect([headers['x-total'], headers['x-page']]).toEqual([undefined, undefined])
      seen.push(...body.map(({ id }: { id: number }) => id))
      path = cut(headers['link'] ?? '')
    }
    expect(seen).toEqual([1, 2, 4, 3])
  })

  test('returns new vulnerabilities at once although responses are cached', async () => {
    const other = await server.project('acme/other')
    const client = await server.as('developer', other)
    const path = `/projects/${other.id}/vulnerabilities?state=detected&search=hash`
    expect((await client.get(path)).body).toEqual([])
    const made = { ...usual, scanner: 'zap', identifiers: ['CWE-1'], id: 100, projectId: other.id }
    await insertMadeUp(server.deps.db, [made], server.deps.now())
    expect((await client.get(path)).body).toHaveLength(1)
  })
})
