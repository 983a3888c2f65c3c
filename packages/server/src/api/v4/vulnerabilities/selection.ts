import Type, { type Static } from 'typebox'
import type { Selection } from '../../../domain/vulnerabilities/triage/bulk/bulk.ts'
import { freeForm, integer, integerList, optional } from '../../../http/params/input.ts'
import { type FilterCaller, readFilterObject } from './filters.ts'

/** Parameters that select vulnerabilities of a project, by ids or by a filter. */
export const selectionFields = {
  vulnerability_ids: optional(integerList({ allowBlank: false, commaSeparated: true })),
  filter: optional(freeForm({ description: 'Filter of the vulnerability list, in place of IDs' })),
  filters: optional(freeForm({ description: 'Same as `filter`, under its name in exports' })),
  expected_count: optional(
    integer({ description: 'Expected number of selected items; if the actual number differs, nothing is changed' }),
  ),
}

/** Rule for an input with these parameters. */
export const oneSelection = { exactlyOneOf: [['vulnerability_ids', 'filter', 'filters']] }

const selectionInput = Type.Object(selectionFields)

export function selectionFrom(
  { vulnerability_ids: ids, filters, filter = filters }: Static<typeof selectionInput>,
  caller: FilterCaller,
): Selection {
  return filter ? { filter: readFilterObject(filter, caller) } : { ids: ids ?? [] }
}
