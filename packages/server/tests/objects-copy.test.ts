import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDiskStore } from '../src/platform/object-store/disk.ts'
import type { ObjectStore } from '../src/platform/object-store/objects.ts'
import { openS3Store } from '../src/platform/object-store/s3.ts'
import { type S3Server, startS3 } from '../src/testing/stand-ins/s3.ts'
import { launch, runProcess, type ServerProcess, startProcess, temporaryFolder } from './process.ts'

let s3: S3Server
let folder: string
let env: Record<string, string>
beforeEach(async () => {
  s3 = await startS3()
  onTestFinished(() => s3.close())
  folder = await temporaryFolder()
  env = {
    ALCOVE_DATA: folder,
    ALCOVE_S3_ENDPOINT: s3.settings.endpoint,
    ALCOVE_S3_BUCKET: s3.settings.bucket,
    ALCOVE_S3_ACCESS_KEY: s3.settings.keys.access,
    ALCOVE_S3_SECRET_KEY: s3.settings.keys.secret,
  }
})

test('a running server can be moved from disk to a bucket and back', async () => {
  const token = 'token-of-the-administrator'
  const first = await startProcess({ env: { ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: token } })
  const project = await createProject(first)
  const early = await upload(first, project, 'early.txt')
  const toBucket = await runProcess({ env, command: 'objects copy --from disk --to s3' })
  expect(toBucket).toMatchObject({ code: 0 })
  expect(toBucket.stdout).toContain('Done: 1 files: 1 copied (0.0 MiB), 0 there already, 0 failed.')

  const late = await upload(first, project, 'late.txt')
  await first.stop()
  const second = await startProcess({ env: { ...env, ALCOVE_BOOTSTRAP_TOKEN: token } })
  const again = await runProcess({ env, command: 'objects copy --to=s3 --from=disk' })
  expect(again).toMatchObject({ code: 0 })
  expect(again.stdout).toContain('Done: 2 files: 1 copied (0.0 MiB), 1 there already, 0 failed.')
  expect(await download(second, project, early)).toBe('content of early.txt')
  expect(await download(second, project, late)).toBe('content of late.txt')
  await upload(second, project, 'in-the-bucket.txt')
  await second.stop()

  const elsewhere = await temporaryFolder()
  const back = await runProcess({
    env: { ...env, ALCOVE_DATA: elsewhere },
    command: 'objects copy --from s3 --to disk',
  })
  expect(back).toMatchObject({ code: 0 })
  expect(back.stdout).toContain('Done: 3 files: 3 copied')
  expect(await keysOf(await openDiskStore(join(elsewhere, 'objects')))).toHaveLength(3)
})

test('a killed copy is continued by the next one', async () => {
  const count = 150
  const disk = await openDiskStore(join(folder, 'objects'))
  for (let number = 0; number < count; number++) {
    await disk.put(`files/${number}`, Readable.from([Buffer.alloc(20_000, `content ${number}`)]))
  }
  const bucket = openS3Store(s3.settings)
  onTestFinished(() => bucket.close())
  const command = 'objects copy --from disk --to s3'
  const { child, ended } = await launch({ env, command })
  await expect.poll(() => keysOf(bucket), { timeout: 60_000, interval: 20 }).not.toHaveLength(0)
  child.kill('SIGKILL')
  expect(await ended).toMatchObject({ signal: 'SIGKILL' })
  const before = (await keysOf(bucket)).length
  expect(before).toBeLessThan(count)

  const { code, stdout } = await runProcess({ env, command })
  expect(code).toBe(0)
  const [, copied, skipped] = /(\d+) copied .* (\d+) there already, 0 failed/.exec(stdout) ?? []
  expect(Number(copied) + Number(skipped)).toBe(count)
  expect(Number(skipped)).toBeGreaterThanOrEqual(before - 8) // those under way may have been cut
  expect(await keysOf(bucket)).toEqual(await keysOf(disk))
})

test('an unreachable bucket stops the copy before it begins, with a reason', async () => {
  const unreachable = { ...env, ALCOVE_S3_ENDPOINT: 'http://127.0.0.1:1' }
  const { code, stdout, stderr } = await runProcess({ env: unreachable, command: 'objects copy --from disk --to s3' })
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^alcove: the object store is not available \(.*ECONNREFUSED.*\)$/m)
  expect(stderr).not.toContain(s3.settings.keys.secret)
})

test('a copy to a bucket that is not configured names the missing setting', async () => {
  const { code, stderr } = await runProcess({
    env: { ALCOVE_DATA: folder },
    command: 'objects copy --from disk --to s3',
  })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'alcove: ALCOVE_S3_BUCKET is not set; allowed is the name of a bucket.\n',
  })
})

test('a copy without a source is rejected with the usage', async () => {
  const { code, stderr } = await runProcess({ env, command: 'objects copy --to disk' })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^alcove: objects copy --to disk is not understood\.\n\nUsage: /)
})

async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list('')) keys.push(key)
  return keys.sort()
}

async function createProject(server: ServerProcess): Promise<number> {
  const body = new URLSearchParams({ name: 'moving' })
  const created = await fetch(`${server.url}/api/v4/projects`, { method: 'POST', headers: token(server), body })
  expect(created.status).toBe(201)
  return ((await created.json()) as { id: number }).id
}

async function upload(server: ServerProcess, project: number, filename: string): Promise<number> {
  const body = new FormData()
  body.append('file', new Blob([`content of ${filename}`]), filename)
  const address = `${server.url}/api/v4/projects/${project}/uploads`
  const created = await fetch(address, { method: 'POST', headers: token(server), body })
  expect(created.status).toBe(201)
  return ((await created.json()) as { id: number }).id
}

async function download(server: ServerProcess, project: number, id: number): Promise<string> {
  const reply = await fetch(`${server.url}/api/v4/projects/${project}/uploads/${id}`, { headers: token(server) })
  expect(reply.status).toBe(200)
  return reply.text()
}

function token(server: ServerProcess): Record<string, string> {
  return { 'PRIVATE-TOKEN': server.token }
}
