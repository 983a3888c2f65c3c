import { expect, test } from 'vitest'
import type { Client } from '../../testing/client.ts'
import { formWithFile } from '../../testing/client.ts'
import { entry, sastReport } from '../../testing/reports.ts'
import { startServer, type TestProject } from '../../testing/server.ts'

const severities = ['Info', 'Unknown', 'Low', 'Medium', 'High', 'Critical']
const words = ['info', 'unknown', 'low', 'medium', 'high', 'critical']

interface Listed {
  id: number
  severity: string
}

const worst = (a: Listed, b: Listed) => words.indexOf(b.severity) - words.indexOf(a.severity)

async function report(client: Client, project: TestProject, entries: number): Promise<void> {
  const findings = Array.from({ length: entries }, (_, index) =>
    entry({ line: index + 1, severity: severities[(index * 7) % 5] ?? 'Low' }),
  )
  const form = formWithFile('file', 'report.json', JSON.stringify(sastReport(findings)), { promote: 'true' })
  expect((await client.post(`/projects/${project.id}/security_reports`, form)).status).toBe(201)
}

async function pages(client: Client, path: string, numbers: readonly number[]): Promise<Map<number, Listed[]>> {
  const found = new Map<number, Listed[]>()
  for (const number of numbers) {
    const { status, body } = await client.get(`${path}?per_page=100&page=${number}`)
    expect(status).toBe(200)
    found.set(number, body)
  }
  return found
}

test.each([
  ['vulnerabilities', (a: Listed, b: Listed) => worst(a, b) || b.id - a.id],
  ['vulnerability_findings', (a: Listed, b: Listed) => worst(a, b) || a.id - b.id],
])('far pages of %s follow one another, in whichever order they are asked for', async (list, order) => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const total = 2_345
  await report(server.admin, project, total)
  const path = `/projects/${project.id}/${list}`

  const jumping = await pages(server.admin, path, [24, 3, 17, 11, 25, 1])
  const inOrder = await pages(
    server.admin,
    path,
    Array.from({ length: 24 }, (_, index) => index + 1),
  )
  const all = [...inOrder.values()].flat()
  expect(new Set(all.map(({ id }) => id)).size).toBe(total)
  expect(all.map(({ id }) => id)).toEqual(all.toSorted(order).map(({ id }) => id))
  expect(jumping.get(25)).toEqual([])
  for (const number of [24, 3, 17, 11, 1]) expect(jumping.get(number)).toEqual(inOrder.get(number))

  await report(server.admin, project, total - 1000)
  const left = await pages(server.admin, path, [14, 13, 12, 1])
  // Vulnerabilities stay when their finding has gone.
  expect(left.get(14)).toHaveLength(list === 'vulnerabilities' ? 100 : 45)
})
