import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startS3 } from '../src/testing/stand-ins/s3.ts'
import { launch, runProcess, startProcess, temporaryFolder } from './process.ts'
import { createProject, createTopic, request, startWriters, topicsOf, uploadFile } from './requests.ts'

const token = 'token-of-the-backup-command'

let folder: string
let env: Record<string, string>
let backups: string
beforeEach(async () => {
  folder = await temporaryFolder()
  env = { ALCOVE_DATA: join(folder, 'data'), ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_OBJECT_RETENTION_HOURS: '24' }
  backups = join(folder, 'backups')
  await mkdir(env['ALCOVE_DATA'] ?? '')
})

test('after the loss of the disk a backup brings back everything acknowledged before it, and only later changes are lost', async () => {
  const server = await startProcess({ env })
  const before = startWriters(server, 4, 100)
  await expect.poll(() => before.acknowledged.length).toBeGreaterThan(60)
  const early = [...before.acknowledged]
  const backup = await runProcess({ env, command: `backup ${backups} --verify` })
  expect(backup).toMatchObject({ code: 0, stdout: expect.stringMatching(/Wrote the backup .* of which \d+ copied/) })
  expect(backup.stdout).toMatch(/Verified \S+: \d+ tables and \d+ files are the same\./)
  await before.stop()
  const later = startWriters(server, 2, 100, 'later')
  await expect.poll(() => later.acknowledged.length).toBeGreaterThan(10)
  await server.kill()
  await later.stop()
  await rm(env['ALCOVE_DATA'] ?? '', { recursive: true })
  await mkdir(env['ALCOVE_DATA'] ?? '')

  expect(await runProcess({ env, command: `restore ${backups} --verify` })).toMatchObject({ code: 0, stderr: '' })
  const restored = await runProcess({ env, command: `restore ${backups}` })
  expect(restored).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/It has everything up to \S+Z; later changes/),
  })
  expect(await runProcess({ env, command: 'doctor --contents' })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no disagreement'),
  })
  const second = await startProcess({ env })
  const there = await topicsOf(second)
  expect(early.filter((name) => !there.has(name))).toEqual([])
  const lost = later.acknowledged.filter((name) => !there.has(name))
  expect(lost).toEqual(later.acknowledged)
})

test('a restore needs an empty place, and with --force moves what is there aside', async () => {
  const server = await startProcess({ env })
  const chat = { url: 'https://chat.invalid/', format: 'slack', topic_events: 'true' }
  expect(await request(server, 'POST', '/hooks', new URLSearchParams(chat))).toMatchObject({ status: 201 })
  await createTopic(server, 'in-the-backup')
  expect(await runProcess({ env, command: `backup ${backups}` })).toMatchObject({ code: 0 })
  await createTopic(server, 'not-in-the-backup')
  expect(await runProcess({ env, command: `restore ${backups} --force` })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('a server uses'),
  })
  await server.stop()
  expect(await runProcess({ env, command: `restore ${backups}` })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists already; use an empty data folder, or --force'),
  })
  const forced = await runProcess({ env, command: `restore ${backups} --force` })
  expect(forced).toMatchObject({ code: 0, stdout: expect.stringContaining('What was there before is in ') })
  expect(forced.stdout).toContain('0 queued e-mails, 1 queued messages to chats.')
  const [aside = ''] = (await readdir(env['ALCOVE_DATA'] ?? '')).filter((name) => name.startsWith('before-restore-'))
  const second = await startProcess({ env })
  expect([...(await topicsOf(second))]).toEqual(['in-the-backup'])
  const former = await startProcess({ env: { ...env, ALCOVE_DATA: join(env['ALCOVE_DATA'] ?? '', aside) } })
  expect((await topicsOf(former)).size).toBe(2)
})

test('a killed backup leaves the previous one intact, and the next one completes', { timeout: 180_000 }, async () => {
  const server = await startProcess({ env })
  const project = await createProject(server)
  for (let number = 0; number < 40; number++) await uploadFile(server, project, `content ${number}`.repeat(10_000))
  const first = await runProcess({ env, command: `backup ${backups} --keep 2` })
  expect(first).toMatchObject({ code: 0 })
  const ms = Number(/ in (\S+) s/.exec(first.stdout)?.[1]) * 1000
  const killed: string[] = []
  for (let attempt = 0; attempt < 4; attempt++) {
    await uploadFile(server, project, `new ${attempt}`.repeat(20_000))
    const { child, ended } = await launch({ env, command: `backup ${backups} --keep 2` })
    // From before the first write to about the end.
    await setTimeout(400 + (attempt / 3) * ms)
    child.kill('SIGKILL')
    const { signal } = await ended
    if (signal) killed.push(signal)
    const verified = await runProcess({ env, command: `restore ${backups} --verify` })
    expect(verified).toMatchObject({ code: 0, stderr: '' })
  }
  expect(killed.length).toBeGreaterThan(0)
  const last = await runProcess({ env, command: `backup ${backups} --keep 1 --verify` })
  expect(last).toMatchObject({ code: 0, stdout: expect.stringContaining('44 files') })
  const list = await runProcess({ env, command: `restore ${backups} --list` })
  expect(list.stdout.trim().split('\n')).toHaveLength(1)
})

test('backups during uploads and deletions have a file for every row', async () => {
  const server = await startProcess({ env: { ...env, ALCOVE_UPLOAD_GRACE_DAYS: '0' } })
  const project = await createProject(server)
  const ids: number[] = []
  let isOver = false
  const working = (async () => {
    for (let number = 0; !isOver; number++) {
      ids.push(await uploadFile(server, project, `content ${number}`))
      if (number % 2 === 1) await request(server, 'DELETE', `/projects/${project}/uploads/${ids.shift()}`)
    }
  })()
  await expect.poll(() => ids.length).toBeGreaterThan(20)
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(await runProcess({ env, command: `backup ${backups} --verify` })).toMatchObject({ code: 0 })
  }
  isOver = true
  await working
})

test('backups to a bucket are incremental, verified, pruned and restored', async () => {
  const s3 = await startS3()
  onTestFinished(() => s3.close())
  const target = `s3://${s3.settings.bucket}/of-acme`
  const withBucket = {
    ...env,
    ALCOVE_BACKUP_S3_ENDPOINT: s3.settings.endpoint,
    ALCOVE_BACKUP_S3_ACCESS_KEY: s3.settings.keys.access,
    ALCOVE_BACKUP_S3_SECRET_KEY: s3.settings.keys.secret,
  }
  const server = await startProcess({ env })
  const project = await createProject(server)
  await uploadFile(server, project, 'first')
  expect(await runProcess({ env: withBucket, command: `backup ${target}` })).toMatchObject({ code: 0 })
  await uploadFile(server, project, 'second')
  const second = await runProcess({ env: withBucket, command: `backup ${target} --keep 1 --verify` })
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('2 files (0.0 MiB), of which 1 copied') })
  expect(second.stdout).toContain('Removed 1 older backups')
  await server.kill()

  const elsewhere = { ...withBucket, ALCOVE_DATA: join(folder, 'elsewhere') }
  await mkdir(elsewhere.ALCOVE_DATA)
  expect(await runProcess({ env: elsewhere, command: `restore ${target}` })).toMatchObject({ code: 0 })
  const checked = await runProcess({ env: elsewhere, command: 'doctor --contents' })
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('2 files and 2 objects examined') })

  const own = { ...env, ALCOVE_S3_BUCKET: s3.settings.bucket, ALCOVE_S3_ENDPOINT: s3.settings.endpoint }
  expect(await runProcess({ env: own, command: `backup ${target}` })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('name another bucket'),
  })
  expect(await runProcess({ env: withBucket, command: `backup s3://${s3.settings.bucket}/UPPER` })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not valid; allowed is s3://bucket/prefix'),
  })
})

test('impossible backups and restores are refused with a reason', async () => {
  const refused = async (command: string, reason: string) =>
    expect(await runProcess({ env, command })).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
  await refused(`backup ${backups}`, 'there is no database')
  await refused(`backup ${join(env['ALCOVE_DATA'] ?? '', 'copy')}`, 'is in the data folder')
  await refused(`backup ${env['ALCOVE_DATA']}`, 'is in the data folder')
  await refused(`backup ${backups}.sqlite3`, 'name a folder')
  await refused(`restore ${join(folder, 'nowhere')}`, 'there is no backup in')
  await refused(`restore ${backups}`, 'there is no complete backup in')
  expect(await runProcess({ env, command: 'backup' })).toMatchObject({ code: 2 })
})
