import { createHash, randomUUID } from 'node:crypto'
import { RequestFailed, type Schemas } from '@alcove/client'
import { attempt, type Copy, unlessMissing } from './copy.ts'
import { makeWritable } from './copy-projects.ts'
import { copyUser } from './copy-users.ts'
import type { SourceFile } from './source-api.ts'
import { numberOf, rowOf, type SourceRow, textOf } from './source-row.ts'
import { type FoundLinks, linkPattern } from './upload-links.ts'

export interface UploadPlace {
  kind: 'group' | 'project'
  sourceId: string
  name: string
}

/** Types whose metadata the target removes, so that the stored file differs from the sent one. */
const stripped = /\.(?:jpe?g|tiff?|png|webp)$/i

/** Copies the uploads of a group or project with secret, filename, uploader and date, and compares their hashes. */
export async function copyUploads(
  copy: Copy,
  { kind, sourceId, name }: UploadPlace,
  findLinks: () => Promise<FoundLinks>,
): Promise<void> {
  const id = copy.ids.find(kind, sourceId)
  if (id === undefined) return
  copy.progress.show(`Uploads of ${name}`)
  await attempt(copy, { kind: `uploads of ${kind}`, name }, async () => {
    const present = id === 'planned' ? [] : await listTarget(copy, kind, id)
    const query = { with_details: true }
    const found = new Set<number>()
    for await (const row of copy.source.list(`/${kind}s/${sourceId}/uploads`, query)) {
      const uploadId = String(row['id'])
      const same = present.find((known) => isSameUpload(known, row))
      if (same) found.add(same.id)
      if (copy.state.isDone('upload', uploadId)) continue
      const filename = textOf(row, 'filename') ?? ''
      const isCopied = await attempt(copy, { kind: 'upload', name: `${filename} (${uploadId}) of ${name}` }, () =>
        copyUpload(copy, { kind, sourceId, name, id, row, filename, isPresent: same !== undefined, findLinks }).then(
          () => true,
        ),
      )
      // A resumed import tries again what has failed.
      if (isCopied) await copy.state.markDone('upload', uploadId)
    }
    if (id !== 'planned')
      await removeVanished(copy, { kind, id, name, vanished: present.filter((one) => !found.has(one.id)) })
  })
}

/** Deletes uploads of a mirror that the source does not list, after the time that the mirror keeps them. */
async function removeVanished(
  copy: Copy,
  {
    kind,
    id,
    name,
    vanished,
  }: { kind: 'group' | 'project'; id: number; name: string; vanished: readonly Schemas['UploadListItem'][] },
): Promise<void> {
  for (const upload of vanished) {
    if (!copy.mirror?.isExpired('upload', upload.id)) continue
    await attempt(copy, { kind: 'upload', name: `${upload.filename} of ${name}` }, async () => {
      if (kind === 'project') await makeWritable(copy, id)
      await copy.target.call(`DELETE /${kind}s/{id}/uploads/{upload_id}`, { path: { id, upload_id: upload.id } })
      copy.report.count('upload', 'deleted')
    })
  }
}

interface UploadCopy extends UploadPlace {
  id: number | 'planned'
  row: SourceRow
  filename: string
  isPresent: boolean
  findLinks: () => Promise<FoundLinks>
}

async function copyUpload(copy: Copy, upload: UploadCopy): Promise<void> {
  const { kind, sourceId, name, id, row, filename, isPresent } = upload
  if (isPresent) return copy.report.count('upload', 'unchanged')
  if (copy.isDryRun || id === 'planned') return copy.report.count('upload', 'created')
  const file = await copy.source.file(`/api/v4/${kind}s/${sourceId}/uploads/${row['id']}`)
  const expected = textOf(row, 'sha256')
  const size = numberOf(row, 'size')
  if ((expected !== undefined && expected !== file.sha256) || (size !== undefined && size !== file.bytes.length)) {
    throw new RequestFailed(409, 'The download differs from what the source lists. Run the import again.')
  }
  const uploader = rowOf(row, 'uploaded_by')
  const userId = uploader && (await copyUser(copy, uploader))
  const secret = secretOf(row) ?? (await secretFromText(copy, upload, file))
  const body = {
    file: new File([file.bytes], filename),
    secret: secret ?? createHash('sha256').update(`${copy.source.url} ${kind} ${row['id']}`).digest('hex').slice(0, 32),
    created_at: textOf(row, 'created_at') ?? new Date(0).toISOString(),
    ...(typeof userId === 'number' && { uploaded_by: userId }),
  }
  if (kind === 'project') await makeWritable(copy, id)
  const options = { idempotencyKey: randomUUID() }
  const stored = await copy.target.call(`POST /${kind}s/{id}/uploads/import`, { path: { id }, body }, options)
  copy.report.count('upload', 'created')
  if (stored.filename !== filename) {
    copy.report.skip({ kind: 'upload', name: `${filename} of ${name}`, reason: `it is stored as ${stored.filename}` })
  }
  if (stored.sha256 === file.sha256) return
  if (!stripped.test(filename)) throw new RequestFailed(409, 'The target has stored another content.')
  copy.report.skip({ kind: 'metadata', name: `${filename} of ${name}`, reason: 'the picture is stored without it' })
}

/** Compares an upload of the target with a row of the source, by its address or by what GitLab lists. */
function isSameUpload(known: Schemas['UploadListItem'], row: SourceRow): boolean {
  const isSameMoment = Date.parse(known.created_at) === Date.parse(textOf(row, 'created_at') ?? '')
  const url = textOf(row, 'url')
  if (url !== undefined) return known.url === url && isSameMoment
  const isSameSize = stripped.test(known.filename) || known.size === row['size']
  return known.filename === row['filename'] && isSameSize && isSameMoment
}

async function listTarget(
  { target }: Copy,
  kind: 'group' | 'project',
  id: number,
): Promise<Schemas['UploadListItem'][]> {
  const uploads: Schemas['UploadListItem'][] = []
  for (let page = 1; ; page++) {
    const { rows, hasNext } = await target.page(`GET /${kind}s/{id}/uploads`, {
      path: { id },
      query: { with_details: true, page, per_page: 100 },
    })
    uploads.push(...rows)
    if (!hasNext) return uploads
  }
}

/** Returns the secret that Alcove lists. GitLab's list has none. */
function secretOf(row: SourceRow): string | undefined {
  return linkPattern.exec(textOf(row, 'url') ?? '')?.[1]
}

/**
 * Finds the secret in the texts that link to the file. Only the source knows which secret a file has: everyone who may
 * comment can write a link, and its author could read the copied file. A file without links gets a secret of its own,
 * because no link can break.
 */
async function secretFromText(
  { source, report }: Copy,
  { kind, sourceId, name, filename, findLinks }: UploadCopy,
  file: SourceFile,
): Promise<string | undefined> {
  const secrets = (await findLinks()).get(filename)
  if (!secrets) return undefined
  for (const secret of secrets) {
    const path = `/api/v4/${kind}s/${sourceId}/uploads/${secret}/${encodeURIComponent(filename)}`
    const linked = await unlessMissing(source.file(path))
    if (linked?.sha256 === file.sha256) return secret
  }
  report.note(`${filename} of ${name}: no link in the texts of the source leads to it, so it has a new address`)
  return undefined
}
