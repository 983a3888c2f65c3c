import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import type { RawParams } from './raw-params.ts'

/**
 * A route's input is a `Type.Object` of the parameters below: JSON Schema with custom keywords that correspond to
 * GitLab's Grape validators.
 *
 *     Type.Object(
 *       { user_id: optional(integer()), username: optional(text()), sort: oneOf(['asc', 'desc'], { default: 'desc' }) },
 *       { exclusive: [['user_id', 'username']], atLeastOneOf: [['user_id', 'username']] },
 *     )
 *
 * The object takes `exclusive`, `atLeastOneOf`, `exactlyOneOf` and `allOrNone`, each a list of groups of names.
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
  /** If false, a blank value is rejected with `x is empty`. */
  allowBlank?: boolean
  /** Values that are rejected with `x has a value not allowed`. */
  forbidden?: readonly unknown[]
  /** If true, every element of the list is split at commas. */
  commaSeparated?: boolean
  /** If true, a blank value counts as given and stays `''`. */
  blankable?: boolean
  /** If true, the text is a file path; paths that leave the folder are rejected. */
  filePath?: boolean
  /** Media types that a file may have, for the document. Absent: any. */
  mediaTypes?: readonly string[]
}

interface Wording<T> {
  description?: string
  /** The value when the parameter is absent. Makes the parameter optional for clients and always present for handlers. */
  default?: T
}
interface NumberWording extends Wording<number> {
  /** Values outside these bounds are rejected with `x does not have a valid value`. */
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

/** A safe integer, given as a JSON number or decimal digits. */
export const integer = (wording: NumberWording = {}) => parameter<number>({ type: 'integer', ...wording })
export const number = (wording: NumberWording = {}) => parameter<number>({ type: 'number', ...wording })
export const flag = (wording: Wording<boolean> = {}) => parameter<boolean>({ type: 'boolean', ...wording })
export const text = (wording: TextWording = {}) => parameter<string>({ type: 'string', ...wording })
/** A filename in a path. Invalid ones are rejected with `filename should be a valid file path`. */
export const filePath = (wording: Wording<string> = {}) =>
  parameter<string>({ type: 'string', filePath: true, ...wording })
/** An existing calendar date, as `YYYY-MM-DD`. */
export const date = (wording: Wording<string> = {}) => parameter<string>({ type: 'string', format: 'date', ...wording })
/** An ISO 8601 time. Handlers receive it in UTC with milliseconds. */
export const dateTime = (wording: Wording<string> = {}) =>
  parameter<string>({ type: 'string', format: 'date-time', ...wording })
/** A UUID. Handlers receive it in lower case. */
export const uuid = (wording: Wording<string> = {}) => parameter<string>({ type: 'string', format: 'uuid', ...wording })
export const oneOf = <const T extends string | number>(values: readonly T[], wording: Wording<NoInfer<T>> = {}) =>
  parameter<T>({ ...enumeration(values), ...wording })

/** A list of texts. Comma-separated lists keep blank elements except at the end, as GitLab does; callers may drop them. */
export const textList = (wording: ListWording<string> = {}) =>
  parameter<string[]>({ type: 'array', items: { type: 'string' }, ...wording })
export const integerList = (wording: ListWording<number> = {}) =>
  parameter<number[]>({ type: 'array', items: { type: 'integer' }, ...wording })
export const listOf = <const T extends string | number>(values: readonly T[], wording: ListWording<NoInfer<T>> = {}) =>
  parameter<T[]>({ type: 'array', items: enumeration(values), ...wording })

/** An object with undeclared properties. */
export const freeForm = (wording: Wording<RawParams> = {}) => parameter<RawParams>({ type: 'object', ...wording })

/** A list of objects with undeclared properties. */
export const freeFormList = (wording: ListWording<RawParams> = {}) =>
  parameter<RawParams[]>({ type: 'array', items: { type: 'object' }, ...wording })

const binary = { type: 'string', format: 'binary' }
export const filePart = parameter<ReceivedFile>(binary)
/** A file whose media types the document states. The server recognises a file by its content. */
export const fileOf = (mediaTypes: readonly string[], wording: { description?: string } = {}) =>
  parameter<ReceivedFile>({ ...binary, mediaTypes, ...wording })
/** A list of files: form fields with the name and `[]`. */
export const fileList = (wording: { description: string }) =>
  parameter<ReceivedFile[]>({ type: 'array', items: binary, ...wording })
/** An image, or `''` when the client sent a blank value or null to remove the current one. */
export const blankableImage = parameter<ReceivedFile | ''>({ ...binary, blankable: true, mediaTypes: ['image/*'] })

export const optional: typeof Type.Optional = Type.Optional

/** Accepts null. A blank value is also null where the type has no blank value, because forms cannot send null. */
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
