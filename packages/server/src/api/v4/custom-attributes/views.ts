import Type from 'typebox'
import type { CustomAttributeOwner } from '../../../domain/custom-attributes/custom-attribute.ts'
import { readCustomAttributes } from '../../../domain/custom-attributes/custom-attributes.ts'
import type { Deps } from '../../../domain/deps.ts'
import { flag, freeForm, optional } from '../../../http/params/input.ts'

export const customAttributeView = Type.Object(
  { key: Type.String(), value: Type.String() },
  { title: 'CustomAttribute' },
)

/** Field of a resource, present only on request of an administrator. */
export const customAttributesField = { custom_attributes: Type.Optional(Type.Array(customAttributeView)) }

export const withCustomAttributes = {
  with_custom_attributes: optional(flag({ description: 'Include `custom_attributes`; administrators only' })),
}

export const customAttributeFilters = {
  ...withCustomAttributes,
  custom_attributes: optional(
    freeForm({
      description: 'Only items with these attributes, as `custom_attributes[key]=value`; administrators only',
    }),
  ),
}

/** Adds the custom attributes to views if an administrator requested them. */
export async function addCustomAttributes<View extends { id?: number }>(
  deps: Deps,
  owner: CustomAttributeOwner,
  views: readonly View[],
  isWanted: boolean,
): Promise<(View & { custom_attributes?: { key: string; value: string }[] })[]> {
  if (!isWanted) return [...views]
  const ids = views.flatMap(({ id }) => id ?? [])
  const found = await readCustomAttributes(deps, owner, ids)
  return views.map((view) => ({ ...view, custom_attributes: found.get(view.id ?? 0) ?? [] }))
}
