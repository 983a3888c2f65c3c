import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { recordHistory } from '../../../domain/vulnerabilities/triage/history/history.ts'
import { testEngine } from '../../../testing/databases/database.ts'
import { vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

// SQLite has one writer at a time.
test.runIf(testEngine === 'postgres')(
  'project, user and vulnerability can be updated while an import refers to them',
  async () => {
    const server = await startServer()
    const { admin, deps } = server
    const project = await server.project('acme/imported')
    const sender = await server.as('developer', project)
    const userId = sender.user?.id ?? 0
    const { id: importId } = await server.report(project, [entry({ name: 'Flaw' })])
    const { id: vulnerabilityId } = (await vulnerabilitiesOf(server, project))['Flaw']
    await deps.db.transaction(async (db) => {
      await db.run(sql`
      insert into scanners (project_id, external_id, name, vendor, created_at)
      values (${project.id}, 'semgrep', 'Semgrep', '', ${deps.now()})`)
      await recordHistory(db, [{ vulnerabilityId, kind: 'found', importId, userId, ref: 'feature' }], deps.now())

      const statuses = [
        await admin.put(`/projects/${project.id}`, { description: 'meanwhile' }),
        await admin.post(`/projects/${project.id}/hooks`, { url: 'https://hooks.example/1' }),
        await admin.post(`/projects/${project.id}/star`),
        await admin.post(`/vulnerabilities/${vulnerabilityId}/confirm`),
        await admin.post(`/vulnerabilities/${vulnerabilityId}/issue_links`, { url: 'https://tracker.example/1' }),
        await sender.post(`/security/projects/${project.id}/vulnerability_exports`),
        await admin.post(`/users/${userId}/block`),
      ].map(({ status }) => status)
      expect(statuses).toEqual([200, 201, 201, 201, 201, 201, 201])
    })
    expect((await admin.get(`/projects/${project.id}`)).body.description).toBe('meanwhile')
    expect((await admin.get(`/vulnerabilities/${vulnerabilityId}`)).body.state).toBe('confirmed')
  },
)
