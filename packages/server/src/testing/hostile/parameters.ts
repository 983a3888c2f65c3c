import fc from 'fast-check'
import type { TObject } from 'typebox'
import { hostileFile, reportFile } from './files.ts'
import { hostileJson } from './values.ts'

/** A parameter before encoding. */
export type Sent = readonly [name: string, value: unknown]

/** Generates parameters for this input: mostly valid, so that they reach the database, or arbitrary. */
export function parametersFor(input: TObject | undefined, paged: boolean | undefined): fc.Arbitrary<Sent[]> {
  const declared = Object.entries(input?.properties ?? {}).map(([name, schema]) => {
    return { name, schema: schema as Schema, isRequired: input?.required?.includes(name) === true }
  })
  if (paged)
    for (const name of ['page', 'per_page']) declared.push({ name, schema: { type: 'integer' }, isRequired: false })
  const all = (wild: number) =>
    fc.tuple(...declared.map((field) => fieldArbitrary(field, wild))).map((lists) => lists.flat())
  return fc.oneof(
    { weight: 8, arbitrary: all(0) },
    { weight: 4, arbitrary: all(2) },
    { weight: 2, arbitrary: fc.tuple(all(5), fc.array(stray, { maxLength: 3 })).map((lists) => lists.flat()) },
  )
}

/** The subset of JSON Schema that inputs use. */
interface Schema {
  type?: string
  format?: string
  enum?: readonly unknown[]
  items?: Schema
  anyOf?: readonly Schema[]
}

interface Field {
  name: string
  schema: Schema
  isRequired: boolean
}

function fieldArbitrary({ name, schema, isRequired }: Field, wild: number): fc.Arbitrary<Sent[]> {
  return fc.oneof(
    { weight: isRequired ? 10 : 4, arbitrary: fitting(name, schema).map((value): Sent[] => [[name, value]]) },
    { weight: isRequired ? wild : 6, arbitrary: fc.constant<Sent[]>([]) },
    { weight: wild, arbitrary: fc.oneof(hostileJson, hostileFile).map((value): Sent[] => [[name, value]]) },
  )
}

const strangeName = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'then',
  'id',
  '',
  '[',
  'a[',
  'a[]',
  'a[b][c]',
)
const stray = fc.tuple(
  fc.oneof(strangeName, fc.constantFrom('sudo', 'file', 'name[]', 'name[a]', 'name[][b]')),
  hostileJson,
)

/** Generates a value of the parameter's type. Ids are small, so that they often exist. */
export function fitting(name: string, schema: Schema): fc.Arbitrary<unknown> {
  if (name in idsOf) return fittingInteger(name)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((choice) => fitting(name, choice)))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.format === 'binary') return fc.oneof({ weight: 2, arbitrary: reportFile }, hostileFile)
  if (schema.format === 'date') return days.map((day) => dayFromNow(day).slice(0, 10))
  if (schema.format === 'date-time') return days.map(dayFromNow)
  if (schema.format === 'uuid') return fc.oneof(fc.constant('{uuid}'), fc.uuid())
  switch (schema.type) {
    case 'integer':
      return fc.oneof(
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(0, 5, 10, 20, 30, 40, 50, '{project}', '{group}'),
      )
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(fitting(name, schema.items ?? {}), { maxLength: 3 })
    case 'null':
      return fc.constant(null)
    case 'string':
      return fittingText(name)
    default:
      return hostileJson
  }
}

/** Placeholders in braces, which the test replaces by the ids of its resources. */
const idsOf: Record<string, readonly string[]> = {
  user_id: ['{reader}', '{stranger}'],
  namespace_id: ['{group}'],
  parent_id: ['{group}'],
  source_topic_id: ['{topic}', '{other topic}'],
  target_topic_id: ['{topic}', '{other topic}'],
  access_level: ['10', '20', '30', '40', '50'],
  organization_id: ['1'],
  finding_id: ['{uuid}'],
  vulnerability_ids: ['{vulnerability}'],
  token_id: ['{project token}', '{group token}'],
  relation_id: ['{project relation}', '{group relation}'],
}

export function fittingInteger(name: string): fc.Arbitrary<unknown> {
  const anyone = fc.integer({ min: 0, max: 30 })
  const ids = idsOf[name]
  return ids ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: anyone }) : anyone
}

const days = fc.integer({ min: 1, max: 300 })
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

function fittingText(name: string): fc.Arbitrary<string> {
  const word = fc.nat(99).map((number) => `word${number}`)
  if (name === 'email') return word.map((text) => `${text}@example.test`)
  if (name.endsWith('password')) return fc.constant('correct horse battery')
  if (name === 'login') return fc.constant('{login}')
  if (name === 'token') return fc.constant('{link}')
  if (name === 'url') return fc.constant('https://receiver.example/hook')
  if (name === 'filename') return fc.constant('a.txt')
  if (name === 'topics' || name === 'topic') return fc.nat(9).map((number) => `topic${number}`)
  return fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: fc.lorem({ maxCount: 6 }) })
}
