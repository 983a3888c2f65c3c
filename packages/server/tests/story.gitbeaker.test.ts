import { beforeAll, describe, expect } from 'vitest'
import { createTestDatabase, startPostgres } from '../src/testing/postgres.ts'
import { tellOfPeople } from './gitbeaker/people.ts'
import { tellOfProjects } from './gitbeaker/projects.ts'
import { tellOfTopics } from './gitbeaker/topics.ts'
import { tellOfUploads } from './gitbeaker/uploads.ts'
import { tellOfVulnerabilities } from './gitbeaker/vulnerabilities.ts'
import { openWorld, type World } from './gitbeaker/world.ts'
import { startProcess } from './process.ts'

/** What people do with these areas of GitLab, done with an unchanged gitbeaker. */
describe.each(['SQLite', 'PostgreSQL'] as const)('gitbeaker against a server on %s', (engine) => {
  const world = {} as World

  beforeAll(async () => {
    const database = engine === 'PostgreSQL' ? await openPostgres() : undefined
    const server = await startProcess({ env: database ? { ALCOVE_DATABASE_URL: database.url } : {} })
    Object.assign(world, openWorld(server))
    return async () => {
      const ended = await server.stop()
      await database?.close()
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(ended.stdout).not.toContain('"level":50')
    }
  })

  describe('people and tokens', () => tellOfPeople(world))
  describe('groups, projects and members', () => tellOfProjects(world))
  describe('uploads', () => tellOfUploads(world))
  describe('topics', () => tellOfTopics(world))
  describe('vulnerabilities', () => tellOfVulnerabilities(world))
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
