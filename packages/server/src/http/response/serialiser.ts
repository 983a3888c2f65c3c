import fastJson from 'fast-json-stringify'

export type Serialiser = ReturnType<typeof fastJson>

const serialisers = new WeakMap<object, Serialiser>()

/** Compiling takes most of a server's start, so routes with one schema share a serialiser, and so do servers. */
export function serialiserOf(schema: object): Serialiser {
  const known = serialisers.get(schema)
  if (known) return known
  const serialiser = fastJson(schema)
  serialisers.set(schema, serialiser)
  return serialiser
}
