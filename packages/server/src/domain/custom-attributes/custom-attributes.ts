import { invalid, notFound, parameterProblem } from '../../platform/failure.ts'
import type { Deps } from '../deps.ts'
import type { CustomAttribute, CustomAttributeFilter, CustomAttributeOwner } from './custom-attribute.ts'
import { deleteCustomAttribute, listCustomAttributes, upsertCustomAttribute } from './custom-attribute-queries.ts'

/** Returns the attributes of each owner by its id. */
export async function readCustomAttributes(
  { db }: Pick<Deps, 'db'>,
  owner: CustomAttributeOwner,
  ids: readonly number[],
): Promise<Map<number, CustomAttribute[]>> {
  const found = new Map<number, CustomAttribute[]>(ids.map((id) => [id, []]))
  for (const { ownerId, key, value } of await listCustomAttributes(db, owner, ids))
    found.get(ownerId)?.push({ key, value })
  return found
}

export async function getCustomAttribute(
  deps: Deps,
  owner: CustomAttributeOwner,
  id: number,
  key: string,
): Promise<CustomAttribute> {
  const found = (await readCustomAttributes(deps, owner, [id])).get(id)?.find((attribute) => attribute.key === key)
  if (!found) throw notFound()
  return found
}

const maxCharacters = 255

export async function setCustomAttribute(
  { db, now }: Deps,
  owner: CustomAttributeOwner,
  id: number,
  { key, value }: CustomAttribute,
): Promise<CustomAttribute> {
  const tooLong = [`is too long (maximum is ${maxCharacters} characters)`]
  if (value === '') throw invalid({ value: ["can't be blank"] })
  if (key.length > maxCharacters) throw invalid({ key: tooLong })
  if (value.length > maxCharacters) throw invalid({ value: tooLong })
  await upsertCustomAttribute(db, owner, id, { key, value, now: now() })
  return { key, value }
}

export async function removeCustomAttribute(
  { db }: Deps,
  owner: CustomAttributeOwner,
  id: number,
  key: string,
): Promise<void> {
  if (!(await deleteCustomAttribute(db, owner, id, key))) throw notFound()
}

/** Returns the filter, which only administrators may use; others get everything. */
export function customAttributeFilter(
  isAdmin: boolean,
  given: Readonly<Record<string, unknown>> | undefined,
): CustomAttributeFilter | undefined {
  if (!isAdmin || !given) return undefined
  const entries = Object.entries(given).map(([key, value]) => {
    if (value === null || typeof value === 'object') throw parameterProblem('custom_attributes is invalid')
    return [key, String(value)] as const
  })
  return Object.fromEntries(entries)
}
