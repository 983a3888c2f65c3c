import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { CustomAttributeFilter, CustomAttributeOwner } from './custom-attribute.ts'

const references = { projects: 'project_id', namespaces: 'namespace_id', users: 'user_id' } as const

/** Column of the table `custom_attributes` that refers to the owner. */
export const reference = (owner: CustomAttributeOwner): Sql => raw(references[owner])

/** Condition that a row of the owner's table has all of these attributes. */
export function hasCustomAttributes(owner: CustomAttributeOwner, filter: CustomAttributeFilter): Sql {
  const conditions = Object.entries(filter).map(
    ([key, value]) => sql`exists (
      select 1 from custom_attributes given
      where given.${reference(owner)} = ${raw(owner)}.id and given.key = ${key} and given.value = ${value})`,
  )
  return conditions.length > 0 ? join(conditions, ' and ') : sql`1 = 1`
}
