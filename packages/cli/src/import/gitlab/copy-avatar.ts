import { attempt, type Copy, type ImportKind, unlessMissing } from './copy.ts'
import { recordSource } from './import-sources.ts'
import type { SourceFile } from './source-api.ts'
import { type SourceRow, textOf } from './source-row.ts'

interface AvatarOwner {
  kind: Exclude<ImportKind, 'topic'>
  sourceId: string
  targetId: number
  name: string
  row: SourceRow
  /** Address of the present avatar in the target. */
  present: string | null | undefined
}

/**
 * Copies the avatar of a group, project or user when it has changed since it was copied. An avatar that a user of the
 * target has set stays.
 */
export async function copyAvatar(copy: Copy, owner: AvatarOwner): Promise<void> {
  const { kind, sourceId, targetId, name, row } = owner
  const url = textOf(row, 'avatar_url')
  const copied = copy.sources.find(kind, sourceId)?.avatar_sha256 ?? null
  if (!url && copied === null) return
  if (copied === null && kind === 'user' && owner.present) return
  await attempt(copy, { kind: 'avatar', name: `${kind} ${name}` }, async () => {
    const avatar = url ? await readAvatar(copy, owner, url) : undefined
    // A picture of another server, such as Gravatar, is none of the source.
    if (!avatar && copied === null) return
    const isSame = avatar?.sha256 === copied
    copy.report.count('avatar', isSame ? 'unchanged' : copied === null ? 'created' : 'updated')
    if (isSame || copy.isDryRun) return
    const body = { avatar: avatar ? fileOf(avatar, url) : noFile }
    if (kind === 'user') await copy.target.call('PUT /users/{id}', { path: { id: targetId }, body })
    else await copy.target.call(`PUT /${kind}s/{id}`, { path: { id: targetId }, body })
    await recordSource(copy, { kind, sourceId, targetId }, avatar?.sha256 ?? null)
  })
}

/** A blank text removes the avatar. The types of the client know files only. */
const noFile = '' as unknown as Blob

function fileOf({ bytes, contentType }: SourceFile, url = ''): File {
  const pathname = new URL(url, 'http://source.invalid').pathname
  const name = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1))
  return new File([bytes], name, { type: contentType })
}

/** Downloads an avatar through the API, because browsers' addresses of private ones need a session in GitLab. */
async function readAvatar(copy: Copy, { kind, sourceId }: AvatarOwner, url: string): Promise<SourceFile | undefined> {
  const path = pathAtSource(copy, url)
  if (path === undefined) return undefined
  const file =
    kind === 'user' ? undefined : await unlessMissing(copy.source.file(`/api/v4/${kind}s/${sourceId}/avatar`))
  return file ?? (await copy.source.file(path))
}

/** Returns the path of a file of the source below its address, or `undefined` for one of another server. */
export function pathAtSource({ source }: Copy, url: string): string | undefined {
  if (!URL.canParse(url, `${source.url}/`)) return undefined
  const { origin, pathname } = new URL(url, `${source.url}/`)
  const base = new URL(source.url)
  const isBelow = origin === base.origin && pathname.startsWith(base.pathname.replace(/\/$/, ''))
  // Behind a proxy, the source may not know its own address.
  const isSystem = /\/uploads\/-\/system\//.test(pathname)
  if (!isBelow && !isSystem) return undefined
  return isBelow
    ? pathname.slice(base.pathname.replace(/\/$/, '').length)
    : pathname.replace(/^.*(?=\/uploads\/-\/system\/)/, '')
}
