import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Running } from './processes.ts'
import { authorization, type Comparison } from './requests.ts'

const kib = 1024
const uploads = [
  { name: 'POST upload 10 KB', bytes: 10 * kib, connections: 8, atMost: 1_000 },
  { name: 'POST upload 1 MB', bytes: kib * kib, connections: 4, atMost: 100 },
]
const downloads = [
  { name: 'GET download 10 KB', bytes: 10 * kib, connections: 32 },
  { name: 'GET download 10 MB', bytes: 10 * kib * kib, connections: 4 },
]

/** Names of the rows of `fileComparisons`. */
export const fileRows: readonly string[] = [...uploads, ...downloads].map(({ name }) => name)

/** Returns uploads and downloads; the ceiling only streams a file to or from the disk. */
export async function fileComparisons(server: Running, projectId: number, folder: string): Promise<Comparison[]> {
  const address = `/api/v4/projects/${projectId}/uploads`
  const rows: Comparison[] = uploads.map(({ name, bytes, connections, atMost }) => {
    const form = multipart(randomBytes(bytes))
    const request = { method: 'POST' as const, body: form.body, headers: { ...authorization, ...form.headers } }
    return {
      name,
      connections,
      atMost,
      server: { ...request, paths: [address] },
      ceiling: { ...request, paths: ['/files'] },
    }
  })
  for (const { name, bytes, connections } of downloads) {
    const content = randomBytes(bytes)
    const file = `${bytes}.bin`
    await writeFile(join(folder, file), content)
    const { id } = await upload(server.url + address, content)
    rows.push({
      name,
      connections,
      server: { paths: [`${address}/${id}`], headers: authorization },
      ceiling: { paths: [`/files/${file}`], headers: authorization },
    })
  }
  return rows
}

/** Compares uploads of identical files with uploads of different files to the same server. */
export function identicalFiles(projectId: number): Comparison {
  const connections = 8
  const forms = Array.from({ length: 4 * connections }, () => multipart(randomBytes(kib * kib)))
  const [{ body, headers } = multipart(Buffer.alloc(0))] = forms
  const paths = forms.map(() => `/api/v4/projects/${projectId}/uploads`)
  const request = { method: 'POST' as const, paths, headers: { ...authorization, ...headers } }
  return {
    name: 'POST identical files of 1 MB beside different ones',
    server: { ...request, body },
    ceiling: { ...request, bodies: forms.map((form) => form.body) },
    connections,
    atMost: 100,
    aim: 0.9, // no slower; a tenth is what the machine does of itself
  }
}

export async function upload(url: string, content: Buffer): Promise<{ id: number }> {
  const { body, headers } = multipart(content)
  const sent = { method: 'POST', body: new Uint8Array(body), headers: { ...authorization, ...headers } }
  const response = await fetch(url, sent)
  if (!response.ok) throw new Error(`an upload was answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as { id: number }
}

/** Returns a form with one file in the format of curl. */
export function multipart(content: Uint8Array): { body: Buffer; headers: Record<string, string> } {
  const boundary = '------------------------benchbenchbench'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="file.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`
  return {
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}
