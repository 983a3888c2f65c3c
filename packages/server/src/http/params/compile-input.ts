import type { Static, TObject } from 'typebox'
import { parameterProblem } from '../../platform/failure.ts'
import { type Coercion, coercion, isBlank, isInvalid } from './coerce.ts'
import type { Keywords } from './input.ts'
import type { RawParams } from './raw-params.ts'

/**
 * Returns a function that validates raw parameters, converts them to their declared types and drops undeclared ones. It
 * throws one `parameterProblem` with at most one problem per parameter: parameters in order of declaration, then groups.
 */
export function compileInput<S extends TObject>(schema: S): (params: RawParams) => Static<S> {
  const fields = fieldsOf(schema)
  const rules = rulesOf(schema)
  return (params) => {
    const input: Record<string, unknown> = {}
    let problems: string[] | undefined
    for (const field of fields) {
      const value = readField(field, params[field.name])
      if (typeof value === 'symbol') {
        problems ??= []
        problems.push(`${field.name} ${value.description}`)
      } else if (value !== undefined) {
        input[field.name] = value
      }
    }
    for (const rule of rules) {
      const problem = rule(params)
      if (problem !== undefined) {
        problems ??= []
        problems.push(problem)
      }
    }
    if (problems) throw parameterProblem(problems.join(', '))
    return input as Static<S> // just checked against it
  }
}

/** Returns the names of the file parameters; a list of files has two. A multipart file under another name is not stored. */
export function filePartNames(schema: TObject): string[] {
  return Object.entries(schema.properties).flatMap(([name, declared]) => {
    // TypeBox's types do not declare the keywords of a schema.
    const { format, items } = valueKeywords(declared as Keywords)
    if (format === 'binary') return [name]
    return items?.format === 'binary' ? [name, `${name}[]`] : []
  })
}

interface Field {
  name: string
  required: boolean
  nullable: boolean
  fallback: unknown
  allowBlank: boolean
  /** True when a blank value is passed to the coercion; false when it counts as absent. */
  keepsBlank: boolean
  /** True when null is equivalent to blank, even for an optional parameter. */
  nullIsBlank: boolean
  coerce: Coercion
}

const isMissing = Symbol('is missing')
const isEmpty = Symbol('is empty')

function readField(field: Field, raw: unknown): unknown {
  if (raw === undefined) return absent(field)
  if (raw === null) {
    if (field.nullable) return null
    if (!field.required && !field.nullIsBlank) return absent(field)
    return readField(field, '')
  }
  if (isBlank(raw)) {
    if (!field.allowBlank) return isEmpty
    if (!field.keepsBlank) return blank(field)
  } else if (!field.allowBlank && Array.isArray(raw) && raw.length === 0) {
    return isEmpty
  }
  return field.coerce(raw)
}

function absent(field: Field): unknown {
  if (field.fallback === undefined) return field.required ? isMissing : undefined
  return Array.isArray(field.fallback) ? [...field.fallback] : field.fallback
}

function blank(field: Field): unknown {
  if (field.nullable) return null
  return field.required ? isInvalid : absent(field)
}

function fieldsOf(schema: TObject): Field[] {
  const required: readonly string[] = schema.required ?? []
  return Object.entries(schema.properties).map(([name, declared]) => {
    // TypeBox does not declare the keywords of a schema.
    const outer = declared as Keywords
    const keywords = valueKeywords(outer)
    const fallback = outer.default
    return {
      name,
      required: required.includes(name) && fallback === undefined,
      nullable: outer.anyOf?.some((choice) => choice.type === 'null') === true,
      fallback,
      allowBlank: keywords.allowBlank !== false,
      keepsBlank: keepsBlank(keywords),
      nullIsBlank: keywords.blankable === true,
      coerce: coercion(name, keywords),
    }
  })
}

/** Returns the schema without its null alternative. */
function valueKeywords(declared: Keywords): Keywords {
  const choices = declared.anyOf?.filter((choice) => choice.type !== 'null')
  const only = choices?.length === 1 ? choices[0] : undefined
  return only ?? (choices ? { anyOf: choices } : declared)
}

const blankFormats = new Set([undefined, 'binary'])

function keepsBlank({ type, format, anyOf }: Keywords): boolean {
  return type === 'array' || (type === 'string' && blankFormats.has(format)) || anyOf?.some(keepsBlank) === true
}

type Rule = (params: RawParams) => string | undefined

/** Keywords such as `exclusive`: groups of parameter names. */
type GroupKeywords = Record<string, readonly (readonly string[])[] | undefined>

/** Compiles the group keywords. A parameter counts as given when the client sent it, even blank or null. */
function rulesOf(schema: TObject): Rule[] {
  const keywords = schema as unknown as GroupKeywords // custom keywords, which the library's type does not declare
  const rules = (keyword: string, check: (names: readonly string[], given: string[]) => string | undefined): Rule[] =>
    (keywords[keyword] ?? []).map((names) => {
      const unknown = names.find((name) => !Object.hasOwn(schema.properties, name))
      if (unknown !== undefined) throw new Error(`${keyword} names ${unknown}, which is not a parameter`)
      return (params) =>
        check(
          names,
          names.filter((name) => params[name] !== undefined),
        )
    })
  return [
    ...rules('exclusive', (_, given) => (given.length > 1 ? exclusion(given) : undefined)),
    ...rules('atLeastOneOf', (names, given) =>
      given.length === 0 ? `${names.join(', ')} are missing, at least one parameter must be provided` : undefined,
    ),
    ...rules('exactlyOneOf', (names, given) => {
      if (given.length === 0) return `${names.join(', ')} are missing, exactly one parameter must be provided`
      return given.length > 1 ? exclusion(given) : undefined
    }),
    ...rules('allOrNone', (names, given) =>
      given.length > 0 && given.length < names.length
        ? `${names.join(', ')} provide all or none of parameters`
        : undefined,
    ),
  ]
}

const exclusion = (names: readonly string[]) => `${names.join(', ')} are mutually exclusive`
