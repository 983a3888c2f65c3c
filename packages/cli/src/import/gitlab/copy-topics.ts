import { createHash, randomUUID } from 'node:crypto'
import type { Schemas } from '@alcove/client'
import { attempt, type Copy } from './copy.ts'
import { pathAtSource } from './copy-avatar.ts'
import { isDetached, pathOfAnother, recordSource } from './import-sources.ts'
import type { SourceFile } from './source-api.ts'
import { type SourceRow, textOf } from './source-row.ts'

/** Copies topics with their avatars: all of them, or those with one of the names. */
export async function copyTopics(copy: Copy, names: ReadonlySet<string> | undefined): Promise<void> {
  const present = await listTarget(copy)
  for await (const row of copy.source.list('/topics')) {
    const name = textOf(row, 'name') ?? ''
    if (names && !names.has(name)) continue
    copy.progress.show(`Topic ${name}`)
    await attempt(copy, { kind: 'topic', name }, () => copyTopic(copy, row, present))
  }
}

/** Topics of the target by name in lower case, and by id. */
type Topics = ReadonlyMap<string | number, Schemas['Topic']>

async function listTarget({ target }: Copy): Promise<Topics> {
  const topics = new Map<string | number, Schemas['Topic']>()
  for (let page = 1; ; page++) {
    const { rows, hasNext } = await target.page('GET /topics', { query: { page, per_page: 100 } })
    for (const topic of rows) topics.set(topic.name.toLowerCase(), topic).set(topic.id, topic)
    if (!hasNext) return topics
  }
}

async function copyTopic(copy: Copy, row: SourceRow, topics: Topics): Promise<void> {
  const sourceId = String(row['id'])
  const known = copy.sources.find('topic', sourceId)
  const wanted = {
    name: textOf(row, 'name') ?? '',
    title: textOf(row, 'title') || (textOf(row, 'name') ?? ''),
    description: textOf(row, 'description') ?? null,
  }
  if (isDetached(copy, 'topic', sourceId)) return copy.report.note(`topic ${wanted.name}: detached from its source`)
  const present = topics.get(known?.target_id ?? 0) ?? topics.get(wanted.name.toLowerCase())
  copy.ids.record('topic', sourceId, present?.id ?? 'planned')
  const other = present && copy.sources.sourceOf('topic', present.id)
  if (other !== undefined && other !== sourceId) {
    return copy.report.skip({ kind: 'topic', name: wanted.name, reason: pathOfAnother })
  }
  const avatar = await readAvatar(copy, textOf(row, 'avatar_url'))
  const hasSameTexts =
    present?.name === wanted.name &&
    present.title === wanted.title &&
    (present.description ?? '') === (wanted.description ?? '')
  // The target may have stored the avatar without its metadata.
  const isCopied = avatar?.sha256 === known?.avatar_sha256
  const hasSameAvatar = !avatar || isCopied || (await hashOfAvatar(copy, present)) === avatar.sha256
  if (present) await recordSource(copy, { kind: 'topic', sourceId, targetId: present.id })
  const isSame = hasSameTexts && hasSameAvatar
  copy.report.count('topic', isSame ? 'unchanged' : present ? 'updated' : 'created')
  if (isSame || copy.isDryRun) return
  const body = { ...wanted, ...(avatar && !hasSameAvatar && { avatar: avatar.file }) }
  const stored = present
    ? await copy.target.call('PUT /topics/{id}', { path: { id: present.id }, body })
    : await copy.target.call('POST /topics', { body }, { idempotencyKey: randomUUID() })
  await recordSource(copy, { kind: 'topic', sourceId, targetId: stored.id }, avatar?.sha256)
  if (!avatar || hasSameAvatar || (await hashOfAvatar(copy, stored)) === avatar.sha256) return
  copy.report.skip({ kind: 'topic', name: wanted.name, reason: 'the avatar is stored without its metadata' })
}

async function readAvatar(copy: Copy, url: string | undefined): Promise<(SourceFile & { file: File }) | undefined> {
  const pathname = url ? pathAtSource(copy, url) : undefined
  // Pictures of other servers, such as Gravatar, are not copied.
  if (pathname === undefined) return undefined
  const file = await copy.source.file(pathname)
  const name = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1))
  return { ...file, file: new File([file.bytes], name, { type: file.contentType }) }
}

async function hashOfAvatar({ target }: Copy, topic: Schemas['Topic'] | undefined): Promise<string | undefined> {
  const pathname = topic?.avatar_url && new URL(topic.avatar_url).pathname
  const match = /\/topic\/avatar\/(\d+)\/([^/]+)$/.exec(pathname || '')
  if (!match) return undefined
  const [, id = '', filename = ''] = match
  const path = { id, filename: decodeURIComponent(filename) }
  const blob = await target.file('GET /uploads/-/system/projects/topic/avatar/{id}/{filename}', { path })
  return createHash('sha256')
    .update(Buffer.from(await blob.arrayBuffer()))
    .digest('hex')
}
