import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { metadataStripper } from '../src/domain/files/strip-metadata.ts'
import { formWithFile } from '../src/testing/client.ts'
import { examine } from './crash/integrity.ts'
import { type ServerProcess, startProcess } from './process.ts'

const token = 'token-of-the-full-disk'
const mebibyte = 1024 * 1024
const outOfService = [503, '{"message":"503 Service Unavailable","detail":"Nothing was changed."}']

test.skipIf(!canMount())('a full disk returns 503 and damages nothing (requires root to mount one)', async () => {
  const disk = mountDisk(16)
  const server = await startProcess({ env: { ALCOVE_DATA: disk, ALCOVE_BOOTSTRAP_TOKEN: token } })
  const ask = asker(server)
  const [, created] = await ask('POST', '/projects', new URLSearchParams({ name: 'full' }))
  const base = `/projects/${JSON.parse(created).id}/uploads`
  const upload = async (bytes: number) => ask('POST', base, formWithFile('file', 'a.bin', Buffer.alloc(bytes, 'a')))
  const [status, kept] = await upload(mebibyte)
  expect(status).toBe(201)
  const keptIsWhole = async () =>
    expect((await ask('GET', `${base}/${JSON.parse(kept).id}`))[1]).toBe('a'.repeat(mebibyte))

  // One file that has no room, and several that have none together.
  expect(await upload(16 * mebibyte)).toEqual(outOfService)
  expect(await filesIn(disk)).toHaveLength(1)
  const together = await Promise.all([1, 2, 3, 4, 5, 6].map(() => upload(2 * mebibyte)))
  const stored = together.filter(([status]) => status === 201).length
  for (const answer of together) if (answer[0] !== 201) expect(answer).toEqual(outOfService)
  expect(stored).toBeLessThan(6)
  expect(await filesIn(disk)).toHaveLength(1 + stored)

  // No room at all, for the database neither.
  await fill(join(disk, 'filler'))
  expect(await upload(4096)).toEqual(outOfService)
  const topic = (name: string) =>
    ask('POST', '/topics', new URLSearchParams({ name, title: name, description: 'x'.repeat(1000) }))
  // The log of the database has some room left from before.
  let topics = 0
  let answer = await topic('t0')
  for (; answer[0] === 201 && topics < 2000; answer = await topic(`t${topics}`)) topics++
  expect(answer).toEqual(outOfService)
  expect(await topic('another')).toEqual(outOfService)
  expect(await filesIn(disk)).toHaveLength(1 + stored)
  await keptIsWhole()
  expect((await ask('GET', base))[0]).toBe(200)

  await rm(join(disk, 'filler'))
  expect((await topic('another'))[0]).toBe(201)
  expect((await upload(4096))[0]).toBe(201)
  await keptIsWhole()
  expect(await server.stop()).toMatchObject({ code: 0, stderr: '' })
  const files = 2 + stored
  expect(await examine(disk)).toEqual({ problems: [], files, orphans: 0, unfinished: 0 })
})

test.skipIf(!canMount())('a TIFF without space in the temporary folder fails like a full disk', async () => {
  const disk = mountDisk(1)
  const tiff = Buffer.alloc(2 * mebibyte, 'II*\0')
  const stripped = metadataStripper(disk)(tiff.subarray(0, 4100), Readable.from([tiff], { objectMode: false }))
  await expect(buffer(stripped)).rejects.toMatchObject({
    cause: { kind: 'unavailable', what: 'the folder for temporary files', why: expect.stringContaining('ENOSPC') },
  })
  expect(await readdir(disk)).toEqual([])
})

function asker({ url }: ServerProcess) {
  return async (method: string, path: string, body?: FormData | URLSearchParams): Promise<[number, string]> => {
    const headers = { 'private-token': token, connection: 'close' }
    const reply = await fetch(`${url}/api/v4${path}`, { method, headers, ...(body && { body }) })
    return [reply.status, await reply.text()]
  }
}

/** Whole ones and half-written ones. */
async function filesIn(disk: string): Promise<string[]> {
  const entries = await readdir(join(disk, 'objects'), { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
}

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (const bytes of [mebibyte, 4096, 1]) while (await wrote(file.write(Buffer.alloc(bytes))));
  } finally {
    await file.close()
  }
}

function wrote(writing: Promise<unknown>): Promise<boolean> {
  return writing.then(
    () => true,
    () => false,
  )
}

function mountDisk(mebibytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-disk-'))
  onTestFinished(() => unmount(folder))
  mount(folder, mebibytes)
  return folder
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-disk-'))
  try {
    mount(folder, 1)
    unmount(folder)
    return true
  } catch {
    rmdirSync(folder)
    return false
  }
}

function mount(folder: string, mebibytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'ignore' })
}

function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder])
  rmdirSync(folder)
}
