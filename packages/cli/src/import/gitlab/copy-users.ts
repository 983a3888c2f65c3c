import { createHash, randomUUID } from 'node:crypto'
import type { Schemas } from '@alcove/client'
import { attempt, type Copy, type TargetId, unlessMissing } from './copy.ts'
import { copyAvatar } from './copy-avatar.ts'
import { recordSource } from './import-sources.ts'
import { numberOf, type SourceRow, textOf } from './source-row.ts'

/** Copies all users that the source lists. Other steps copy those that they meet. */
export async function copyUsers(copy: Copy): Promise<void> {
  const query = { pagination: 'keyset', order_by: 'id', sort: 'asc' }
  await attempt(copy, { kind: 'users', name: copy.source.url }, async () => {
    for await (const row of copy.source.list('/users', query)) await copyUser(copy, row)
  })
}

/** Returns the id of a user of the source in the target: of the account with the same verified address, or a placeholder. */
export async function copyUser(copy: Copy, person: SourceRow): Promise<TargetId | undefined> {
  const sourceId = numberOf(person, 'id')
  const username = textOf(person, 'username')
  if (sourceId === undefined || username === undefined) return undefined
  const known = copy.ids.find('user', String(sourceId))
  if (known !== undefined) return known
  copy.progress.show(`User ${username}`)
  return attempt(copy, { kind: 'user', name: username }, async () => {
    // Members and authors are listed without their addresses.
    const row = (await unlessMissing(copy.source.get(`/users/${sourceId}`))) ?? person
    if (row['bot'] === true) {
      copy.report.skip({ kind: 'user', name: username, reason: 'accounts of access tokens are not copied' })
      return undefined
    }
    const { id, outcome, avatarUrl } = await matchOrCreate(copy, { sourceId, username, row })
    copy.ids.record('user', String(sourceId), id)
    copy.report.count('user', outcome)
    if (id === 'planned') return id
    const place = { kind: 'user', sourceId: String(sourceId), targetId: id } as const
    await recordSource(copy, place)
    await copyAvatar(copy, { ...place, name: username, row, present: avatarUrl })
    return id
  })
}

interface SourceUser {
  sourceId: number
  username: string
  row: SourceRow
}

async function matchOrCreate(
  copy: Copy,
  { sourceId, username, row }: SourceUser,
): Promise<{ id: TargetId; outcome: 'created' | 'unchanged'; avatarUrl?: string | null | undefined }> {
  const email = verifiedEmail(row)
  const address = email ?? placeholderAddress(copy.source.url, sourceId)
  const account = (await findKnown(copy, sourceId)) ?? (await findByEmail(copy, address))
  const isActive = (textOf(row, 'state') ?? 'active') === 'active'
  if (account) {
    copy.usernames.set(account.id, account.username)
    // An import may have been killed before it blocked the placeholder.
    const isUnblocked = !isActive && account.state === 'active' && isPlaceholder(account.email)
    if (isUnblocked && !copy.isDryRun) await copy.target.call('POST /users/{id}/block', { path: { id: account.id } })
    return { id: account.id, outcome: 'unchanged', avatarUrl: account.avatar_url }
  }
  if (copy.isDryRun) return { id: 'planned', outcome: 'created' }
  const { target } = copy
  const body = {
    username: await freeUsername(copy, username),
    name: textOf(row, 'name') ?? username,
    email: address,
    force_random_password: true,
    skip_confirmation: true,
    note: `Placeholder for the user ${username} of ${copy.source.url}.`,
  }
  const { id } = await target.call('POST /users', { body }, { idempotencyKey: randomUUID() })
  copy.usernames.set(id, body.username)
  if (!isActive) await target.call('POST /users/{id}/block', { path: { id } })
  return { id, outcome: 'created' }
}

/** Returns an address that the source has verified. Public addresses of GitLab are verified. */
function verifiedEmail(row: SourceRow): string | undefined {
  const email = textOf(row, 'confirmed_at') === undefined ? undefined : textOf(row, 'email')
  return email || textOf(row, 'public_email') || undefined
}

/** Returns the address of a placeholder, to which no mail can be delivered. It is the same in every import. */
function placeholderAddress(url: string, sourceId: number): string {
  const source = createHash('sha256').update(url).digest('hex').slice(0, 12)
  return `user-${sourceId}-${source}@placeholder.invalid`
}

const isPlaceholder = (email: string | undefined) => email?.endsWith('@placeholder.invalid') === true

type KnownAccount = Pick<Schemas['Account'], 'id' | 'username' | 'state' | 'avatar_url'> & {
  email?: string | undefined
}

/** Finds the account that was matched before. A person who has claimed a placeholder has another address. */
async function findKnown({ sources, target }: Copy, sourceId: number): Promise<KnownAccount | undefined> {
  const known = sources.find('user', String(sourceId))
  return known && unlessMissing(target.call('GET /users/{id}', { path: { id: known.target_id }, query: {} }))
}

async function findByEmail({ target }: Copy, email: string): Promise<KnownAccount | undefined> {
  const { rows } = await target.page('GET /users', { query: { search: email } })
  return rows.find((account) => account.email?.toLowerCase() === email.toLowerCase())
}

async function freeUsername({ target }: Copy, username: string): Promise<string> {
  for (let suffix = 0; ; suffix++) {
    const candidate = suffix === 0 ? username : `${username}-${suffix}`
    const { rows } = await target.page('GET /users', { query: { username: candidate } })
    if (rows.length === 0) return candidate
  }
}
