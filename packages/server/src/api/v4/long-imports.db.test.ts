import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { testEngine } from '../../testing/database.ts'
import { startServer } from '../../testing/server.ts'

// SQLite has one writer at a time.
test.runIf(testEngine === 'postgres')('a project can be changed while an import adds rows to it', async () => {
  const server = await startServer()
  const { admin, deps } = server
  const project = await server.project('acme/imported')
  await deps.db.transaction(async (db) => {
    await db.run(sql`
      insert into scanners (project_id, external_id, name, vendor, created_at)
      values (${project.id}, 'semgrep', 'Semgrep', '', ${deps.now()})`)
    const changed = await admin.put(`/projects/${project.id}`, { description: 'meanwhile' })
    expect([changed.status, changed.body.description]).toEqual([200, 'meanwhile'])
    expect((await admin.post(`/projects/${project.id}/hooks`, { url: 'https://hooks.example/1' })).status).toBe(201)
    expect((await admin.post(`/projects/${project.id}/star`)).status).toBe(201)
  })
  expect((await admin.get(`/projects/${project.id}`)).body.description).toBe('meanwhile')
})
