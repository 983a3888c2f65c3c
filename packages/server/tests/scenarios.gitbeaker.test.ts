import { beforeAll, describe, expect } from 'vitest'
import { createTestDatabase, startPostgres } from '../src/testing/databases/postgres.ts'
import { testUsers } from './gitbeaker/people.ts'
import { testProjects } from './gitbeaker/projects.ts'
import { type Fixture, openServer } from './gitbeaker/support.ts'
import { testTopics } from './gitbeaker/topics.ts'
import { testUploads } from './gitbeaker/uploads.ts'
import { testVulnerabilities } from './gitbeaker/vulnerabilities.ts'
import { startProcess } from './process.ts'

/** Tests the server with an unchanged gitbeaker. */
describe.each(['SQLite', 'PostgreSQL'] as const)('gitbeaker against a server on %s', (engine) => {
  const fixture = {} as Fixture

  beforeAll(async () => {
    const database = engine === 'PostgreSQL' ? await openPostgres() : undefined
    const server = await startProcess({ env: database ? { ALCOVE_DATABASE_URL: database.url } : {} })
    Object.assign(fixture, openServer(server))
    return async () => {
      const ended = await server.stop()
      await database?.close()
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(ended.stdout).not.toContain('"level":50')
    }
  })

  describe('users and tokens', () => testUsers(fixture))
  describe('groups, projects and members', () => testProjects(fixture))
  describe('uploads', () => testUploads(fixture))
  describe('topics', () => testTopics(fixture))
  describe('vulnerabilities', () => testVulnerabilities(fixture))
})

async function openPostgres(): Promise<{ url: string; close(): Promise<void> }> {
  const postgres = await startPostgres()
  const database = await createTestDatabase(postgres)
  return {
    url: database.url,
    async close() {
      await database.drop()
      await postgres.stop()
    },
  }
}
