import { attempt, type Copy } from './copy.ts'
import { copyUser } from './copy-users.ts'
import { numberOf, type SourceRow, textOf } from './source-row.ts'

export interface MemberPlace {
  kind: 'group' | 'project'
  sourceId: string
  name: string
}

interface TargetMember {
  id?: number | undefined
  username?: string | undefined
  access_level?: number | undefined
  expires_at?: string | null | undefined
}

/** Copies the direct members of a group or project with their roles and end dates. */
export async function copyMembers(copy: Copy, { kind, sourceId, name }: MemberPlace): Promise<void> {
  const id = copy.ids.find(kind, sourceId)
  if (id === undefined) return
  copy.progress.show(`Members of ${name}`)
  await attempt(copy, { kind: `members of ${kind}`, name }, async () => {
    const present = id === 'planned' ? new Map<number, TargetMember>() : await listTarget(copy, kind, id)
    const copied = new Set<number>()
    for await (const row of copy.source.list(`/${kind}s/${sourceId}/members`)) {
      const userId = await copyUser(copy, row)
      if (userId === undefined) {
        // They are members in the source, so a failure does not end their membership.
        const known = copy.sources.find('user', String(row['id']))
        if (known) copied.add(known.target_id)
        continue
      }
      if (userId === 'planned' || id === 'planned') {
        copy.report.count('member', 'created')
        continue
      }
      copied.add(userId)
      const username = textOf(row, 'username') ?? ''
      await attempt(copy, { kind: 'member', name: `${username} of ${name}` }, () =>
        copyMember(copy, { kind, id, userId, row, present: present.get(userId) }),
      )
    }
    if (id !== 'planned') await leave(copy, { kind, id, copied, present })
    if (id !== 'planned' && copy.mirror) await removeAbsent(copy, { kind, id, copied, present })
  })
}

async function listTarget({ target }: Copy, kind: 'group' | 'project', id: number): Promise<Map<number, TargetMember>> {
  const members = new Map<number, TargetMember>()
  for (let page = 1; ; page++) {
    const { rows, hasNext } = await target.page(`GET /${kind}s/{id}/members`, {
      path: { id },
      query: { page, per_page: 100 },
    })
    for (const row of rows) members.set(row.id ?? 0, row)
    if (!hasNext) return members
  }
}

interface Membership {
  kind: 'group' | 'project'
  id: number
  userId: number
  row: SourceRow
  present: TargetMember | undefined
}

async function copyMember(copy: Copy, { kind, id, userId, row, present }: Membership): Promise<void> {
  const wanted = { access_level: numberOf(row, 'access_level') ?? 0, expires_at: textOf(row, 'expires_at') ?? null }
  const isSame = present?.access_level === wanted.access_level && (present.expires_at ?? null) === wanted.expires_at
  if (!isSame && !copy.isDryRun) {
    if (present)
      await copy.target.call(`PUT /${kind}s/{id}/members/{user_id}`, { path: { id, user_id: userId }, body: wanted })
    else
      await copy.target.call(`POST /${kind}s/{id}/members`, {
        path: { id },
        body: { ...wanted, user_id: String(userId) },
      })
  }
  copy.report.count('member', isSame ? 'unchanged' : present ? 'updated' : 'created')
}

interface Members {
  kind: 'group' | 'project'
  id: number
  copied: ReadonlySet<number>
  present: ReadonlyMap<number, TargetMember>
}

/** Removes the members of a mirror that the source does not have, at once: they must not keep their access. */
async function removeAbsent(copy: Copy, { kind, id, copied, present }: Members): Promise<void> {
  for (const [userId, { username = '' }] of present) {
    if (copied.has(userId) || userId === copy.importerId) continue
    await attempt(copy, { kind: 'member', name: `${username} of ${kind} ${id}` }, async () => {
      await copy.target.call(`DELETE /${kind}s/{id}/members/{user_id}`, { path: { id, user_id: userId } })
      copy.report.count('member', 'deleted')
    })
  }
}

/** Removes the importing user, who owns what they have created, where another owner was copied. */
async function leave(copy: Copy, { kind, id, copied, present }: Members): Promise<void> {
  const { importerId, isDryRun } = copy
  if (isDryRun || !present.has(importerId) || copied.has(importerId) || copied.size === 0) return
  await attempt(copy, { kind: 'member', name: `the importing user of ${kind} ${id}` }, () =>
    copy.target.call(`DELETE /${kind}s/{id}/members/{user_id}`, { path: { id, user_id: importerId } }),
  )
}
