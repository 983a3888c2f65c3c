import type { TSchema } from 'typebox'

/** Schemas of the components, by name. */
export type Schemas = Record<string, unknown>

/** Returns a schema without TypeBox's internal properties. Moves schemas with a title to the components. */
export function plain(schema: TSchema, components: Schemas): unknown {
  return hoist(JSON.parse(JSON.stringify(schema)), components)
}

function hoist(schema: unknown, components: Schemas): unknown {
  if (Array.isArray(schema)) return schema.map((part) => hoist(part, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, part]) => [key, hoist(part, components)]),
  )
  if (typeof title !== 'string' || rest['type'] !== 'object') return { ...(title !== undefined && { title }), ...rest }
  const name = title.replaceAll(' ', '')
  if (name in components && JSON.stringify(components[name]) !== JSON.stringify(rest)) {
    throw new Error(`two different schemas have the title ${title}`)
  }
  components[name] = rest
  return { $ref: `#/components/schemas/${name}` }
}
