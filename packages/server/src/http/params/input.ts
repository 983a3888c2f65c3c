import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import type { Bag } from './bag.ts'

/**
 * A route's input is a `Type.Object` of the parameters below: JSON Schema plus a few keywords of our own, which say what
 * GitLab's Grape validators say.
 *
 *     Type.Object(
 *       { user_id: optional(integer()), username: optional(text()), sort: oneOf(['asc', 'desc'], { default: 'desc' }) },
 *       { exclusive: [['user_id', 'username']], atLeastOneOf: [['user_id', 'username']] },
 *     )
 *
 * On the object: `exclusive`, `atLeastOneOf`, `exactlyOneOf`, `allOrNone`, each a list of groups of names.
 */
export interface Keywords {
  type?: string
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  items?: Keywords
  anyOf?: readonly Keywords[]
  format?: string
  minimum?: number
  maximum?: number
  /** False: a blank value is `x is empty`. */
  allowBlank?: boolean
  /** Values that are `x has a value not allowed`. */
  forbidden?: readonly unknown[]
  /** Every element of the list is split at its commas. */
  commaSeparated?: boolean
  /** A blank value counts as given and stays `''`. */
  blankable?: boolean
  /** The text names a file; anything that climbs out of a folder is refused. */
  filePath?: boolean
}

interface Wording<T> {
  description?: string
  /** The value when the parameter is absent; it makes the parameter optional for clients and certain for the handler. */
  default?: T
}
interface NumberWording extends Wording<number> {
  /** Outside these bounds: `x does not have a valid value`. */
  minimum?: number
  maximum?: number
  forbidden?: readonly number[]
}
interface TextWording extends Wording<string> {
  allowBlank?: boolean
}
interface ListWording<T> extends Wording<readonly T[]> {
  allowBlank?: boolean
  commaSeparated?: boolean
}

/** A safe integer, from a JSON number or decimal digits. */
export const integer = (wording: NumberWording = {}) => parameter<number>({ type: 'integer', ...wording })
export const number = (wording: NumberWording = {}) => parameter<number>({ type: 'number', ...wording })
export const flag = (wording: Wording<boolean> = {}) => parameter<boolean>({ type: 'boolean', ...wording })
export const text = (wording: TextWording = {}) => parameter<string>({ type: 'string', ...wording })
/** A file name in a path: `filename should be a valid file path` when it is none. */
export const filePath = (wording: Wording<string> = {}) =>
  parameter<string>({ type: 'string', filePath: true, ...wording })
/** `YYYY-MM-DD`, a day that exists. */
export const date = (wording: Wording<string> = {}) => parameter<string>({ type: 'string', format: 'date', ...wording })
/** ISO 8601 in; UTC with milliseconds in the handler. */
export const dateTime = (wording: Wording<string> = {}) =>
  parameter<string>({ type: 'string', format: 'date-time', ...wording })
/** In lower case. */
export const uuid = (wording: Wording<string> = {}) => parameter<string>({ type: 'string', format: 'uuid', ...wording })
export const oneOf = <const T extends string | number>(values: readonly T[], wording: Wording<NoInfer<T>> = {}) =>
  parameter<T>({ ...enumeration(values), ...wording })

/** A comma list keeps blanks between and before its commas, as GitLab does; whoever means names drops them. */
export const textList = (wording: ListWording<string> = {}) =>
  parameter<string[]>({ type: 'array', items: { type: 'string' }, ...wording })
export const integerList = (wording: ListWording<number> = {}) =>
  parameter<number[]>({ type: 'array', items: { type: 'integer' }, ...wording })
export const listOf = <const T extends string | number>(values: readonly T[], wording: ListWording<NoInfer<T>> = {}) =>
  parameter<T[]>({ type: 'array', items: enumeration(values), ...wording })

/** An object whose names nobody declared. */
export const freeForm = (wording: Wording<Bag> = {}) => parameter<Bag>({ type: 'object', ...wording })

const binary = { type: 'string', format: 'binary' }
export const filePart = parameter<ReceivedFile>(binary)
/** `''`: the client sent the parameter blank (or null), which removes what is there. */
export const blankableFile = parameter<ReceivedFile | ''>({ ...binary, blankable: true })

export const optional: typeof Type.Optional = Type.Optional

/** Null stays null; so does a blank value where blank is no value of the type, because forms cannot say null. */
export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  // TypeBox does not declare the keywords of a schema.
  const { default: fallback } = schema as Keywords
  return parameter({ anyOf: [schema, { type: 'null' }], ...(fallback !== undefined && { default: fallback }) })
}

function parameter<T>(keywords: Keywords): TUnsafe<T> {
  const schema = Type.Unsafe<T>(keywords)
  return keywords.default === undefined ? schema : Type.Optional(schema)
}

function enumeration(values: readonly (string | number)[]): Keywords {
  return { type: values.every((value) => typeof value === 'number') ? 'integer' : 'string', enum: values }
}
