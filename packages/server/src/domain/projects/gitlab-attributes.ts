import { type InvalidAttributes, invalid } from '../../platform/failure.ts'
import { type Deps, transaction } from '../deps.ts'
import type { AttributeOwner, GitlabAttributes, GitlabValue } from './gitlab-attribute.ts'
import { listAttributes, lockAttributes, updateAttributes } from './gitlab-attribute-queries.ts'

/** Returns the attributes by id. Rows without attributes may be missing. */
export async function readAttributes(
  { db }: Deps,
  owner: AttributeOwner,
  ids: readonly number[],
): Promise<Map<number, GitlabAttributes>> {
  const rows = await listAttributes(db, owner, ids)
  return new Map(rows.map(({ id, gitlabAttributes }) => [id, gitlabAttributes ?? {}]))
}

/** Merges the given attributes into the stored ones; an object replaces only the fields that it has. */
export async function storeAttributes(
  deps: Deps,
  owner: AttributeOwner,
  id: number,
  given: GitlabAttributes,
): Promise<void> {
  if (Object.keys(given).length === 0) return
  assertShort(given)
  await transaction(deps, async ({ db }) => {
    const stored = await lockAttributes(db, owner, id)
    await updateAttributes(db, owner, id, merge(stored, given))
  })
}

function merge(stored: GitlabAttributes, given: GitlabAttributes): GitlabAttributes {
  const merged: Record<string, GitlabValue> = { ...stored }
  for (const [name, value] of Object.entries(given)) {
    const before = stored[name]
    merged[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value
  }
  return merged
}

function isObject(value: GitlabValue | undefined): value is Readonly<Record<string, GitlabValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const maxCharacters = 2000

function assertShort(given: GitlabAttributes): void {
  const length = (value: GitlabValue) => (typeof value === 'string' ? value : JSON.stringify(value)).length
  const long = Object.entries(given).filter(([, value]) => length(value) > maxCharacters)
  const problems: InvalidAttributes = Object.fromEntries(
    long.map(([name]) => [name, [`is too long (maximum is ${maxCharacters} characters)`]]),
  )
  if (long.length > 0) throw invalid(problems)
}
