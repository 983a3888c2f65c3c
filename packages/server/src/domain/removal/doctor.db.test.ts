import { Readable } from 'node:stream'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { formWithFile } from '../../testing/client.ts'
import { startServer } from '../../testing/server.ts'
import { examine } from './doctor.ts'

test('finds every disagreement between database and store, and repairs it', async () => {
  const clock = { now: new Date(Date.now() + 2 * 24 * 60 * 60 * 1000).toISOString() }
  const server = await startServer({ clock })
  const { deps } = server
  const project = await server.project('acme/doctor')
  const at = `/projects/${project.id}/uploads`
  const upload = async (name: string, content: string) =>
    (await server.admin.post(at, formWithFile('file', name, content))).body.id
  const keyOf = async (id: number) =>
    (await deps.db.one<{ key: string }>(sql`select object_key as key from uploads where id = ${id}`))?.key ?? ''

  const whole = await upload('whole.txt', 'whole')
  expect(await examine(deps, { fix: false })).toEqual({ findings: [], files: 1, objects: 1 })

  const lost = await upload('lost.txt', 'lost')
  await deps.objects.remove(await keyOf(lost))
  const short = await upload('short.txt', 'shorter than it was')
  await deps.objects.remove(await keyOf(short))
  await deps.objects.put(await keyOf(short), Readable.from([Buffer.from('short')]))
  await deps.objects.put('files/orphan', Readable.from([Buffer.from('x')]))
  await deps.db.run(sql`update upload_usage set bytes = bytes + 1`)
  const topic = await server.admin.post('/topics', { name: 'counted', title: 'Counted' })
  await deps.db.run(sql`update topics set total_projects_count = 7 where id = ${topic.body.id}`)

  const { findings } = await examine(deps, { fix: false })
  expect(findings.map(({ kind, what }) => `${kind}: ${what.replace(/ \(files.*/, '')}`).sort()).toEqual([
    `missing object: upload ${lost}, lost.txt`,
    'object without a row: files/orphan',
    `wrong size: upload ${short}, short.txt`,
    `wrong topic counts: topic ${topic.body.id}`,
    `wrong upload usage: project ${project.id}`,
  ])
  expect((await examine(deps, { fix: false })).findings).toHaveLength(5)

  expect((await examine(deps, { fix: true })).findings).toHaveLength(5)
  expect(await examine(deps, { fix: false })).toEqual({ findings: [], files: 1, objects: 1 })
  expect((await server.admin.get(`${at}/${whole}`)).text).toBe('whole')
  expect((await server.admin.get(`${at}/limits`)).body).toMatchObject({ used_bytes: 5, files: 1 })
})
