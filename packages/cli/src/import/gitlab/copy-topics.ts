import { createHash, randomUUID } from 'node:crypto'
import type { Schemas } from '@alcove/client'
import { attempt, type Copy } from './copy.ts'
import type { SourceFile } from './source-api.ts'
import { type SourceRow, textOf } from './source-row.ts'

/** Copies topics with their avatars: all of them, or those with one of the names. */
export async function copyTopics(copy: Copy, names: ReadonlySet<string> | undefined): Promise<void> {
  const present = await listTarget(copy)
  for await (const row of copy.source.list('/topics')) {
    const name = textOf(row, 'name') ?? ''
    if (names && !names.has(name)) continue
    copy.progress.show(`Topic ${name}`)
    await attempt(copy, { kind: 'topic', name }, () => copyTopic(copy, row, present.get(name.toLowerCase())))
  }
}

async function listTarget({ target }: Copy): Promise<Map<string, Schemas['Topic']>> {
  const topics = new Map<string, Schemas['Topic']>()
  for (let page = 1; ; page++) {
    const { rows, hasNext } = await target.page('GET /topics', { query: { page, per_page: 100 } })
    for (const topic of rows) topics.set(topic.name.toLowerCase(), topic)
    if (!hasNext) return topics
  }
}

async function copyTopic(copy: Copy, row: SourceRow, present: Schemas['Topic'] | undefined): Promise<void> {
  const wanted = {
    name: textOf(row, 'name') ?? '',
    title: textOf(row, 'title') || (textOf(row, 'name') ?? ''),
    description: textOf(row, 'description') ?? null,
  }
  const avatar = await readAvatar(copy, textOf(row, 'avatar_url'))
  const hasSameTexts = present?.title === wanted.title && (present.description ?? '') === (wanted.description ?? '')
  const hasSameAvatar = !avatar || (await hashOfAvatar(copy, present)) === avatar.sha256
  const isSame = hasSameTexts && hasSameAvatar
  copy.report.count('topic', isSame ? 'unchanged' : present ? 'updated' : 'created')
  if (isSame || copy.isDryRun) return
  const body = { ...wanted, ...(avatar && !hasSameAvatar && { avatar: avatar.file }) }
  const stored = present
    ? await copy.target.call('PUT /topics/{id}', { path: { id: present.id }, body })
    : await copy.target.call('POST /topics', { body }, { idempotencyKey: randomUUID() })
  if (!avatar || (await hashOfAvatar(copy, stored)) === avatar.sha256) return
  copy.report.skip({ kind: 'topic', name: wanted.name, reason: 'the avatar is stored without its metadata' })
}

async function readAvatar(copy: Copy, url: string | undefined): Promise<(SourceFile & { file: File }) | undefined> {
  if (!url || !URL.canParse(url, copy.source.url)) return undefined
  const { pathname } = new URL(url, copy.source.url)
  // An address below the source. Pictures of other servers, such as Gravatar, are not copied.
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
