import type { TSchema } from 'typebox'
import type { Route } from '../../route.ts'

/** Example values of the document. All of them fit together. */
export interface ApiExamples {
  /** Values of parameters by their names in the document, such as `severity[]`. */
  parameters: Readonly<Record<string, unknown>>
  /** Values of `:id` where it may be a path, by the path segment before it. */
  paths: Readonly<Record<string, string>>
  /** Bodies by operation id. */
  bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const exampleId = 7

/** Returns `{ example }` of a path parameter, or an empty object. IDs are numbers unless a path may stand for them. */
export function pathExample({ path }: Route, name: string, schema: TSchema, examples: ApiExamples): object {
  const { type } = schema as { type?: string } // any keyword may be absent
  if (type === 'integer') return { example: exampleId }
  const before = path.split('/').at(path.split('/').indexOf(`:${name}`) - 1) ?? ''
  const example = name === 'id' ? examples.paths[before] : examples.parameters[name]
  return example === undefined ? {} : { example }
}

/** Returns a parameter with its example, if there is one. */
export function withExample<P extends { name: string }>(parameter: P, { parameters }: ApiExamples): P {
  const example = parameters[parameter.name]
  return example === undefined ? parameter : { ...parameter, example }
}
