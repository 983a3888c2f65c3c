import { setImmediate } from 'node:timers/promises'
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { hasCustomAttributes } from '../custom-attributes/custom-attribute-sql.ts'
import { maxCountedRows, type PageRequest, type Position } from '../page.ts'
import type { Person, User, UserFilter, UserOrder } from './user.ts'
import type { UserDraft } from './user-draft.ts'
import { selectState, stateIn } from './user-state-sql.ts'

const columns = sql`users.id, users.username, users.email, users.name, ${selectState('users')}, users.is_admin,
  users.is_ghost, users.is_bot, users.has_second_factor, users.is_external, users.can_create_group, users.projects_limit, users.note, users.avatar_filename, users.created_by_id,
  users.created_at, users.updated_at`

export async function findUserById(db: Db, id: number): Promise<User | undefined> {
  return db.one(sql`select ${columns} from users where id = ${id}`)
}

/** Returns the user and locks the row until the transaction ends. */
export async function lockUser(db: Db, id: number): Promise<User | undefined> {
  return db.one(sql`select ${columns} from users where id = ${id} ${db.dialect.forNoKeyUpdate}`)
}

/** Returns the ids of the active administrators and locks their rows until the transaction ends. */
export async function lockActiveAdministrators(db: Db): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from users
    where is_admin and state = 'active' and not is_deactivated and not is_bot and not is_ghost
    order by id ${db.dialect.forNoKeyUpdate}`)
  return rows.map(({ id }) => id)
}

export async function findUserByUsername(db: Db, username: string): Promise<User | undefined> {
  return db.one(sql`select ${columns} from users where username_key = ${username.toLowerCase()}`)
}

export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  return db.one(sql`select ${columns} from users where email_key = ${email.toLowerCase()}`)
}

export async function findPasswordHash(db: Db, userId: number): Promise<string | null> {
  const row = await db.one<{ passwordHash: string | null }>(sql`select password_hash from users where id = ${userId}`)
  return row?.passwordHash ?? null
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.one(sql`select 1 as found from users limit 1`)) !== undefined
}

export async function listUsersById(db: Db, ids: readonly number[]): Promise<User[]> {
  return db.all(sql`
    select ${columns} from users where id in ${db.dialect.integers(ids)} order by id`)
}

/** Returns one row more than the page holds. */
export async function listUsers(db: Db, filter: UserFilter, order: UserOrder, page: PageRequest): Promise<User[]> {
  return db.all(sql`
    select ${columns} from users where ${conditions(db, filter)} ${isAfter(order, page.keyset?.after)}
    order by ${orders[order.by][order.direction]} limit ${page.perPage + 1} offset ${page.offset}`)
}

/** Counts matching users, up to one above the maximum total of lists. */
export async function countUsers(db: Db, filter: UserFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from
      (select 1 from users where ${conditions(db, filter)} limit ${maxCountedRows + 1}) as counted`)
  return row?.total ?? 0
}

/** Returns the ids of the users' own namespaces. */
export async function listOwnNamespaceIds(
  db: Db,
  userIds: readonly number[],
): Promise<{ userId: number; namespaceId: number }[]> {
  return db.all(sql`
    select owner_id as user_id, id as namespace_id from namespaces where owner_id in ${db.dialect.integers(userIds)} order by id`)
}

/** Inserts a user. Throws a unique violation when the username or e-mail address is taken. */
export async function insertUser(
  db: Db,
  draft: UserDraft,
  { passwordHash, createdById, now }: { passwordHash: string | null; createdById: number | null; now: string },
): Promise<User> {
  const row = await db.one<User>(sql`
    insert into users (username, username_key, email, email_key, name, password_hash, is_admin, is_external,
      can_create_group, projects_limit, note, created_by_id, created_at, updated_at)
    values (${draft.username}, ${draft.username.toLowerCase()}, ${draft.email}, ${draft.email.toLowerCase()},
      ${draft.name}, ${passwordHash}, ${draft.isAdmin ?? false}, ${draft.isExternal ?? false},
      ${draft.canCreateGroup ?? true}, ${draft.projectsLimit ?? 100_000}, ${draft.note}, ${createdById}, ${now}, ${now})
    returning ${columns}`)
  if (!row) throw new Error('an inserted user did not come back')
  return row
}

/** Inserts a bot, which has no password and creates neither groups nor projects of its own. */
export async function insertBotUser(
  db: Db,
  draft: Pick<User, 'username' | 'email' | 'name' | 'isExternal'>,
  createdById: number,
  now: string,
): Promise<User> {
  const row = await db.one<User>(sql`
    insert into users (username, username_key, email, email_key, name, is_bot, is_external, can_create_group,
      projects_limit, created_by_id, created_at, updated_at)
    values (${draft.username}, ${draft.username.toLowerCase()}, ${draft.email}, ${draft.email.toLowerCase()},
      ${draft.name}, true, ${draft.isExternal}, false, 0, ${createdById}, ${now}, ${now})
    returning ${columns}`)
  if (!row) throw new Error('an inserted bot did not come back')
  return row
}

/**
 * Updates a user; without a hash the password stays the same. Throws a unique violation when the username or e-mail
 * address is taken.
 */
export async function updateUser(db: Db, user: User, passwordHash: string | undefined, now: string): Promise<User> {
  const row = await db.one<User>(sql`
    update users set username = ${user.username}, username_key = ${user.username.toLowerCase()},
      email = ${user.email}, email_key = ${user.email.toLowerCase()}, name = ${user.name},
      password_hash = coalesce(${passwordHash}, password_hash), is_admin = ${user.isAdmin},
      is_external = ${user.isExternal}, can_create_group = ${user.canCreateGroup},
      projects_limit = ${user.projectsLimit}, note = ${user.note}, updated_at = ${now}
    where id = ${user.id}
    returning ${columns}`)
  if (!row) throw new Error('an updated user did not come back')
  return row
}

export async function updateUserState(db: Db, id: number, state: User['state'], now: string): Promise<void> {
  const kept = state === 'deactivated' ? 'active' : state === 'banned' ? 'blocked' : state
  await db.run(sql`
    update users set state = ${kept}, is_deactivated = ${state === 'deactivated'}, is_banned = ${state === 'banned'},
      updated_at = ${now}
    where id = ${id}`)
}

export async function updatePasswordHash(db: Db, id: number, passwordHash: string, now: string): Promise<void> {
  await db.run(sql`update users set password_hash = ${passwordHash}, updated_at = ${now} where id = ${id}`)
}

export async function updateHasSecondFactor(db: Db, id: number, hasSecondFactor: boolean, now: string): Promise<void> {
  await db.run(sql`
    update users set has_second_factor = ${hasSecondFactor}, updated_at = ${now} where id = ${id}`)
}

/** Columns that reference a user and outlive the account. Each has an index. */
export const userReferences = [
  ['vulnerabilities', 'author_id'],
  ['vulnerabilities', 'confirmed_by_id'],
  ['vulnerabilities', 'dismissed_by_id'],
  ['vulnerabilities', 'resolved_by_id'],
  ['vulnerability_history', 'user_id'],
  ['vulnerability_links', 'user_id'],
  ['vulnerability_bulk_changes', 'user_id'],
  ['vulnerability_bulk_changes', 'undone_by_id'],
  ['topic_proposals', 'proposed_by_id'],
  ['topic_proposals', 'decided_by_id'],
  ['flaw_changes', 'user_id'],
  ['flaw_changes', 'undone_by_id'],
  ['scope_bulk_changes', 'user_id'],
  ['scope_bulk_changes', 'undone_by_id'],
  ['dismissal_requests', 'requested_by_id'],
  ['dismissal_requests', 'decided_by_id'],
  ['finding_promotions', 'user_id'],
  ['imports', 'user_id'],
  ['project_files', 'user_id'],
  ['vulnerability_rules', 'created_by_id'],
  ['access_tokens', 'issued_by_id'],
  ['uploads', 'uploaded_by_id'],
  ['uploads', 'deleted_by_id'],
  ['upload_links', 'created_by_id'],
  ['topic_merges', 'merged_by_id'],
  ['topic_merges', 'undone_by_id'],
  ['projects', 'creator_id'],
  ['members', 'created_by_id'],
  ['organizations', 'created_by_id'],
  ['users', 'created_by_id'],
] as const

/** References of rows that outlive the account only under a condition; other rows are deleted with the user. */
const conditionalReferences = [['saved_views', 'user_id', 'is_shared = true']] as const

/** References that end with the user. */
export const endedReferences = [
  ['vulnerabilities', 'assignee_id'],
  ['import_sources', 'mirrored_by_id'],
] as const

/**
 * Reassigns references from one user to another. Those that end with the user get `endedTo`. The lock keeps other requests
 * from adding references.
 */
export async function reassignReferences(
  db: Db,
  fromId: number,
  toId: number,
  endedTo: number | null = null,
): Promise<void> {
  await db.one(sql`select id from users where id = ${fromId} ${db.dialect.forUpdate}`)
  const atOnce = 500
  const references = [
    ...userReferences.map((reference) => [...reference, 'true', toId] as const),
    ...conditionalReferences.map((reference) => [...reference, toId] as const),
    ...endedReferences.map((reference) => [...reference, 'true', endedTo] as const),
  ]
  for (const [table, column, condition, value] of references) {
    const [rows, name, isKept] = [raw(table), raw(column), raw(condition)]
    const reassign = () =>
      db.run(sql`
        update ${rows} set ${name} = ${value}
        where id in (select id from ${rows} where ${name} = ${fromId} and ${isKept} order by id limit ${atOnce})`)
    while ((await reassign()) === atOnce) await setImmediate()
  }
}

export async function deleteUser(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from users where id = ${id}`)
}

function isAfter({ by, direction }: UserOrder, after: Position | undefined): Sql {
  if (!after) return empty
  const beyond = direction === 'asc' ? sql`>` : sql`<`
  if (by === 'id') return sql`and users.id ${beyond} ${after.id}`
  return sql`and (${keys[by]}, users.id) ${beyond} (${after.value}, ${after.id})`
}

const keys: Record<Exclude<UserOrder['by'], 'id'>, Sql> = {
  name: sql`users.name`,
  username: sql`users.username_key`,
  created_at: sql`users.created_at`,
  updated_at: sql`users.updated_at`,
}

const orders: Record<UserOrder['by'], Record<UserOrder['direction'], Sql>> = {
  id: { asc: sql`users.id`, desc: sql`users.id desc` },
  name: { asc: sql`users.name, users.id`, desc: sql`users.name desc, users.id desc` },
  username: { asc: sql`users.username_key, users.id`, desc: sql`users.username_key desc, users.id desc` },
  created_at: { asc: sql`users.created_at, users.id`, desc: sql`users.created_at desc, users.id desc` },
  updated_at: { asc: sql`users.updated_at, users.id`, desc: sql`users.updated_at desc, users.id desc` },
}

function conditions(db: Db, filter: UserFilter): Sql {
  const { username, search, states, isAdmin, isExternal, isBot, hasSecondFactor, createdAfter, createdBefore } = filter
  const all: Sql[] = [sql`users.is_ghost = false`]
  if (username !== undefined) all.push(sql`users.username_key = ${username.toLowerCase()}`)
  if (search !== undefined) all.push(matching(db, search))
  if (states !== undefined) all.push(sql`${stateIn('users')} in ${db.dialect.texts(states)}`)
  if (isAdmin !== undefined) all.push(sql`users.is_admin = ${isAdmin}`)
  if (isExternal !== undefined) all.push(sql`users.is_external = ${isExternal}`)
  if (hasSecondFactor !== undefined) all.push(sql`users.has_second_factor = ${hasSecondFactor}`)
  if (isBot !== undefined) all.push(sql`users.is_bot = ${isBot}`)
  if (createdAfter !== undefined) all.push(sql`users.created_at >= ${createdAfter}`)
  if (filter.customAttributes) all.push(hasCustomAttributes('users', filter.customAttributes))
  if (createdBefore !== undefined) all.push(sql`users.created_at <= ${createdBefore}`)
  return join(all, ' and ')
}

function matching(db: Db, { text, terms, isEmailSearched }: NonNullable<UserFilter['search']>): Sql {
  const either =
    terms.length > 0
      ? [db.dialect.containsTerms('users', ['name', 'username'], terms)]
      : [sql`lower(users.name) = ${text.toLowerCase()}`, sql`users.username_key = ${text.toLowerCase()}`]
  if (isEmailSearched) either.push(sql`users.email_key = ${text.toLowerCase()}`)
  return sql`(${join(either, ' or ')})`
}

export async function listPeople(db: Db, ids: readonly number[]): Promise<Person[]> {
  return db.all<Person>(sql`
    select id, username, name, ${selectState('users')}, avatar_filename from users where id in ${db.dialect.integers(ids)} order by id`)
}
