import { type Client, formWithFile, type Reply } from './client.ts'
import { sastReport } from './reports.ts'
import type { TestProject, TestServer } from './server.ts'

/** Sends a report of these entries, of which vulnerabilities are made. */
export async function importEntries(
  server: TestServer,
  project: TestProject,
  entries: object[],
  { scanner, type, ...fields }: { ref?: string; commit_sha?: string; scanner?: string; type?: string } = {},
): Promise<Reply['body']> {
  const report = sastReport(entries)
  if (scanner) report.scan.scanner.id = scanner
  if (type) report.scan.type = type
  const file = formWithFile('file', 'report.json', JSON.stringify(report), { promote: 'true', ...fields })
  const reply = await server.admin.post(`/projects/${project.id}/security_reports`, file)
  if (reply.status !== 201) throw new Error(`expected 201, got ${reply.status}: ${reply.text}`)
  return reply.body
}

/** All vulnerabilities of the project, by title. */
export async function vulnerabilitiesOf(
  server: TestServer,
  project: TestProject,
): Promise<Record<string, Reply['body']>> {
  const rows: Reply['body'][] = []
  for (let page = '1'; page !== ''; ) {
    const reply = await server.admin.get(`/projects/${project.id}/vulnerabilities?per_page=100&page=${page}`)
    rows.push(...reply.body)
    page = reply.headers['x-next-page'] ?? ''
  }
  return Object.fromEntries(rows.map((row) => [row.title, row]))
}

/** What happened to a vulnerability, as it happened. */
export async function historyOf(client: Client, id: number): Promise<Reply['body'][]> {
  return (await client.get(`/vulnerabilities/${id}/history?per_page=100`)).body
}
