import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, startPostgres } from '../src/testing/databases/postgres.ts'
import { runProcess, startProcess, temporaryFolder } from './process.ts'
import { createProject, createTopic, request, topicsOf, uploadFile } from './requests.ts'

const token = 'token-of-the-transfer'

test('a server moves to PostgreSQL and back to SQLite with all rows and files', { timeout: 180_000 }, async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const { url } = await createTestDatabase(postgres)
  const folder = await temporaryFolder()
  const [data, back] = [join(folder, 'data'), join(folder, 'back')]
  await mkdir(data)
  const env = { ALCOVE_DATA: data, ALCOVE_BOOTSTRAP_TOKEN: token }
  const onPostgres = { ...env, ALCOVE_DATABASE_URL: url }
  const toPostgres = { env, command: `transfer --to ${url}` }

  let server = await startProcess({ env })
  const project = await createProject(server)
  const upload = await uploadFile(server, project, 'content')
  await createTopic(server, 'first')
  expect(await runProcess(toPostgres)).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') })
  await server.stop()

  expect(await runProcess(toPostgres)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('every row is the same'),
  })
  expect(await runProcess(toPostgres)).toMatchObject({ code: 1, stderr: expect.stringContaining('has users already') })
  server = await startProcess({ env: onPostgres })
  expect([...(await topicsOf(server))]).toEqual(['first'])
  expect((await request(server, 'GET', `/projects/${project}/uploads`)).body).toMatchObject([{ id: upload }])
  await createTopic(server, 'second')
  const toSqlite = { env: onPostgres, command: `transfer --to ${back}` }
  expect(await runProcess(toSqlite)).toMatchObject({ code: 1, stderr: expect.stringContaining('a server uses') })
  await server.stop()

  expect(await runProcess(toSqlite)).toMatchObject({ code: 0 })
  await rename(join(data, 'objects'), join(back, 'objects'))
  const onSqlite = { ...env, ALCOVE_DATA: back }
  expect(await runProcess({ env: onSqlite, command: 'doctor --contents' })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 files and 1 objects examined: no disagreement'),
  })
  server = await startProcess({ env: onSqlite })
  expect([...(await topicsOf(server))].sort()).toEqual(['first', 'second'])
})
