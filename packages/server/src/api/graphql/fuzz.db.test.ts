import fc from 'fast-check'
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../testing/server.ts'
import { loadSchema } from './schema.ts'

const runs = Number(process.env['ALCOVE_TEST_FUZZ_RUNS'] ?? 60)
/** Longer than any of these takes on a loaded machine, and shorter than what a limit must prevent. */
const maxMs = 10_000

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  const project = await server.project('acme/shop')
  await server.vulnerability(project, { line: 1 })
})

async function send(body: unknown): Promise<{ data?: unknown; errors?: { message: string }[] }> {
  const started = performance.now()
  const { status, body: result, text } = await server.admin.post('//api/graphql', body)
  expect(performance.now() - started).toBeLessThan(maxMs)
  expect(status, text.slice(0, 500)).toBeLessThan(500)
  if (status === 200 && !Array.isArray(result)) expect('data' in result || result.errors.length > 0).toBe(true)
  return result
}

const wrong = fc.constantFrom('null', '-1', '1e400', '"x"', '[]', '{}', '[[1]]', '{ a: { a: 1 } }', 'SOMETHING', '$no')

/** Returns a literal that is often valid for the type. */
function literal(type: GraphQLInputType): fc.Arbitrary<string> {
  return fc.oneof({ weight: 9, arbitrary: validLiteral(type) }, { weight: 1, arbitrary: wrong })
}

function validLiteral(type: GraphQLInputType): fc.Arbitrary<string> {
  if (isNonNullType(type)) return validLiteral(type.ofType)
  if (isListType(type)) {
    return fc.array(literal(type.ofType as GraphQLInputType), { maxLength: 4 }).map((all) => `[${all.join(', ')}]`) // of an input
  }
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name))
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    return fc
      .tuple(...fields.map((field) => fc.option(literal(field.type), { freq: 4 })))
      .map(
        (values) =>
          `{ ${fields.flatMap(({ name }, index) => (values[index] === null ? [] : `${name}: ${values[index]}`)).join(', ')} }`,
      )
  }
  switch (type.name) {
    case 'Int':
      return fc.integer({ min: -5, max: 200 }).map(String)
    case 'Boolean':
      return fc.boolean().map(String)
    case 'VulnerabilityID':
      return fc.constantFrom('"gid://gitlab/Vulnerability/1"', '"gid://gitlab/Vulnerability/2"')
    default:
      return fc.constantFrom(
        '"acme/shop"',
        '"acme"',
        '"2026-01-01"',
        '"1"',
        '"gid://gitlab/Project/1"',
        '"\\u0000"',
        '""',
      )
  }
}

/** Returns a field with arguments and a selection; deep ones are refused by the limits. */
function fieldText(field: GraphQLField<unknown, unknown>, depth: number): fc.Arbitrary<string> {
  const args = fc
    .tuple(...field.args.map((arg) => fc.option(literal(arg.type), { freq: isNonNullType(arg.type) ? 20 : 1 })))
    .map((values) =>
      field.args.flatMap(({ name }, index) => (values[index] === null ? [] : `${name}: ${values[index]}`)),
    )
    .map((given) => (given.length > 0 ? `(${given.join(', ')})` : ''))
  const type = getNamedType(field.type)
  const selection = isCompositeType(type) ? selectionText(type.name, depth - 1) : fc.constant('')
  const alias = fc.constantFrom('', '', '', 'a: ', 'b: ')
  return fc.tuple(alias, args, selection).map(([alias, args, selection]) => `${alias}${field.name}${args}${selection}`)
}

function selectionText(typeName: string, depth: number): fc.Arbitrary<string> {
  const type = loadSchema().getType(typeName)
  if (isUnionType(type)) {
    const [first] = type.getTypes()
    return selectionText(first?.name ?? '', depth).map((inner) => ` { __typename ... on ${first?.name}${inner} }`)
  }
  if (!isObjectType(type) || depth <= 0) return fc.constant(' { __typename }')
  const fields = Object.values(type.getFields())
  return fc
    .array(
      fc.constantFrom(...fields).chain((field) => fieldText(field, depth)),
      { minLength: 1, maxLength: 4 },
    )
    .map((texts) => ` { ${texts.join(' ')} }`)
}

const operation = fc
  .constantFrom('Query', 'Query', 'Mutation')
  .chain((root) => selectionText(root, 7).map((selection) => `${root.toLowerCase()} Any${selection}`))

test('random documents of the schema never fail the server', async () => {
  let executed = 0
  await fc.assert(
    fc.asyncProperty(operation, async (query) => {
      const { data } = await send({ query })
      if (data) executed++
    }),
    { numRuns: runs },
  )
  expect(executed).toBeGreaterThan(0)
}, 120_000)

test('random bytes in the place of documents and bodies never fail the server', async () => {
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('{', '{ a { a', '"""', 'query($a: [[[Int]]]) { a }', '{ ...A }', '\u0000'),
  )
  const body = fc.oneof(
    fc.record({ query: value, variables: fc.jsonValue(), operationName: fc.jsonValue() }),
    fc.array(fc.record({ query: value }), { maxLength: 12 }),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      await send(sent)
    }),
    { numRuns: runs },
  )
}, 60_000)

const fill = (unit: (index: number) => string, length = 9900) => {
  let text = ''
  for (let index = 0; text.length + unit(index).length < length; index++) text += unit(index)
  return text
}
const repeated = (times: number, open: string, inner: string, close: string) =>
  `${open.repeat(times)}${inner}${close.repeat(times)}`

test.each([
  ['one field again and again', `{ ${fill(() => 'a ')} }`],
  ['one field with a selection again and again', `{ ${fill(() => 'currentUser{id}', 9000)} }`],
  ['many aliases', `{ ${fill((index) => `a${index}:__typename `)} }`],
  ['deep selections', repeated(2000, '{a', '', '}')],
  ['deep lists', `{ vulnerability(id: ${repeated(2400, '[', '1', ']')}) { id } }`],
  ['deep types', `query($a: ${repeated(2400, '[', 'Int', ']')}) { currentUser { id } }`],
  ['a long list', `{ vulnerabilities(scanner: [${fill(() => '"",', 9000)}]) { nodes { id } } }`],
  ['a chain of fragments', fill((index) => `fragment F${index} on Query{...F${index + 1}} `, 9000).concat('{ ...F0 }')],
  [
    'fragments that double',
    `${fill((index) => `fragment F${index} on Query{...F${index + 1} ...F${index + 1}} `, 9000)} { ...F0 }`,
  ],
  [
    'a cycle of fragments',
    'fragment A on Query { ...B } fragment B on Query { ...C ...A } fragment C on Query { ...A } { ...A }',
  ],
  [
    'conflicting fragments',
    `${fill((index) => `fragment F${index} on Query{a${index % 50}:vulnerabilities(first:${index}){count}} `, 6000)} { ${fill((index) => `...F${index % 80} `, 2500)} }`,
  ],
  ['many unknown fields', `{ ${fill((index) => `vulnerabilitie${index} `)} }`],
  ['many variables', `query(${fill((index) => `$a${index}: Int `)}) { currentUser { id } }`],
  ['many directives', `{ currentUser { id ${fill(() => '@include(if: true) ')} } }`],
  ['many operations', fill((index) => `query A${index} { __typename } `)],
  ['a long name', `{ ${'a'.repeat(9900)} }`],
])(
  'a document with %s is answered in time',
  async (_, query) => {
    await send({ query })
  },
  20_000,
)

test('large variables are answered in time', async () => {
  const query = 'mutation($input: VulnerabilitiesDismissInput!) { vulnerabilitiesDismiss(input: $input) { errors } }'
  for (const id of ['gid://gitlab/Vulnerability/1', 'x', 1, null, []]) {
    const { errors } = await send({ query, variables: { input: { vulnerabilityIds: Array(9000).fill(id) } } })
    expect(errors?.length).toBeGreaterThan(0)
  }
}, 60_000)
