import { buildClientSchema, getIntrospectionQuery, printSchema } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../testing/server.ts'
import { maxOperations } from './request.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

async function errorsOf(query: string, variables?: object): Promise<string[]> {
  const { status, body } = await server.admin.post('//api/graphql', { query, variables })
  expect(status).toBe(200)
  return (body.errors ?? []).map(({ message }: { message: string }) => message)
}

const project = (fields: string) => `{ project(fullPath: "a/b") { ${fields} } }`
const nested = (depth: number) =>
  `{ vulnerability(id: "gid://gitlab/Vulnerability/1") { ${'project { vulnerabilities(first: 1) { nodes { '.repeat(depth)} id ${'} } }'.repeat(depth)} } }`

describe('a document', () => {
  test.each([
    ['nested too deeply', nested(7), /^Query has depth of \d+, which exceeds max depth of 20$/],
    [
      'that is too complex',
      project(Array.from({ length: 90 }, (_, index) => `a${index}: vulnerabilities { count }`).join(' ')),
      /^Query has complexity of \d+, which exceeds max complexity of 250$/,
    ],
    [
      'with too many fields in its response',
      project(
        'vulnerabilities { nodes { project { vulnerabilities { nodes { project { vulnerabilities { count } } } } } } }',
      ),
      /^Query has size of \d+ fields, which exceeds max size of 50000/,
    ],
    [
      'with too many aliases',
      `{ ${Array.from({ length: 101 }, (_, index) => `a${index}: __typename`).join(' ')} }`,
      /^Query has 101 aliases, which exceeds max aliases of 100$/,
    ],
    ['with too many fields', `{ ${'id '.repeat(1001)} }`, /^Query has 1001 fields/],
    ['that is too long', `{ __typename } # ${'x'.repeat(10_000)}`, /^Query too large: it has 10017 characters/],
    ['with too many brackets', `{ a(b: ${'['.repeat(70)}`, /^Query is nested more than 64 brackets deep$/],
    [
      'whose fragments form a cycle',
      'fragment A on Query { ...B } fragment B on Query { ...A } { ...A }',
      /^Cannot spread fragment "A" within itself/,
    ],
    ['with an unknown field', '{ nothing }', /^Cannot query field "nothing" on type "Query"\.$/],
    ['with a syntax error', '{ project(', /^Syntax Error/],
    ['without its operation', 'query A { __typename } query B { __typename }', /^An operation name is required$/],
    [
      'that nests the introspection',
      '{ __schema { types { fields { type { fields { name } } } } } }',
      /^An introspection query does not nest fields in fields$/,
    ],
    ['that renames the introspection', '{ __schema { a: types { name } } }', /has no aliases$/],
    [
      'with the id of another record',
      '{ vulnerability(id: "gid://gitlab/Project/1") { id } }',
      /does not represent an instance of Vulnerability/,
    ],
    ['with a NUL character', '{ project(fullPath: "\\u0000") { id } }', /^A text contains a NUL character$/],
    ['with an id of no kind', '{ vulnerability(id: "7") { id } }', /is not a valid Global ID/],
  ])('%s is refused', async (_, query, message) => {
    const [first] = await errorsOf(query)
    expect(first).toMatch(message)
  })

  test('has lower limits without a token', async () => {
    const { body } = await server.anonymous.post('//api/graphql', { query: nested(5) })
    expect(body.errors[0].message).toMatch(/exceeds max depth of 15$/)
  })

  test('counts a fragment as often as it is used', async () => {
    const list = 'fragment A on Project { vulnerabilities { ...B } }'
    const nodes = 'fragment B on VulnerabilityConnection { nodes { id title state } }'
    const uses = (times: number) =>
      Array.from({ length: times }, (_, index) => `a${index}: project(fullPath: "a/b") { ...A }`).join(' ')
    expect(await errorsOf(`${list} ${nodes} { ${uses(20)} }`)).toEqual([])
    expect(await errorsOf(`${list} ${nodes} { ${uses(30)} }`)).toEqual([
      'Query has complexity of 330, which exceeds max complexity of 250',
    ])
  })

  test('reads the number of nodes from variables', async () => {
    const inner =
      'nodes { project { vulnerabilities(first: $n) { nodes { project { vulnerabilities(first: $n) { count } } } } } }'
    const document = `query($n: Int) ${project(`vulnerabilities(first: $n) { ${inner} }`)}`
    expect(await errorsOf(document, { n: 2 })).toEqual([])
    expect(await errorsOf(document, { n: 100 })).toEqual([expect.stringContaining('exceeds max size')])
  })

  test('may request the whole schema, from which clients build theirs', async () => {
    const { body } = await server.anonymous.post('//api/graphql', { query: getIntrospectionQuery() })
    expect(body.errors).toBeUndefined()
    const printed = printSchema(buildClientSchema(body.data))
    expect(printed).toContain('project(fullPath: ID!): Project')
    expect(printed).toContain('severity: [VulnerabilitySeverity!]')
  })
})

describe('a request', () => {
  test('has a limited number of operations, which have the limits together', async () => {
    const operation = { query: '{ __typename }' }
    const many = await server.admin.post('//api/graphql', Array(maxOperations + 1).fill(operation))
    expect([many.status, many.body.errors[0].message]).toEqual([400, expect.stringContaining('at most 10 operations')])
    const some = { query: project('vulnerabilities(first: 10) { nodes { id title state severity uuid name webUrl } }') }
    const within = await server.admin.post('//api/graphql', Array(maxOperations).fill(some))
    expect(within.body[0].errors).toBeUndefined()
    const more = { query: some.query.replace('webUrl', 'webUrl solution updatedAt '.repeat(6)) }
    const beyond = await server.admin.post('//api/graphql', Array(maxOperations).fill(more))
    expect(beyond.body).toEqual(
      Array(maxOperations).fill({ errors: [{ message: expect.stringMatching(/^Query has complexity .* of 250$/) }] }),
    )
  })

  test.each([
    ['no JSON', '{', 'the body is not valid JSON'],
    ['no document', '{}', 'No query string was present'],
    ['no object', '7', 'an operation must be a JSON object'],
    ['an empty list', '[]', 'the list of operations is empty'],
    [
      'a NUL in a variable',
      '{"query":"{ __typename }","variables":{"a":["\\u0000"]}}',
      'a text contains a NUL character',
    ],
    ['a list as variables', '{"query":"{ __typename }","variables":[1]}', 'variables must be a JSON object'],
  ])('with %s is refused', async (_, payload, message) => {
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await server.admin.post('//api/graphql', payload, { headers })
    expect([status, body]).toEqual([400, { errors: [{ message }] }])
  })

  test('must be JSON, which a form of another site cannot send', async () => {
    const form = new URLSearchParams({ query: '{ __typename }' })
    const { status, body } = await server.admin.post('//api/graphql', form)
    expect([status, body.errors[0].message]).toEqual([415, expect.stringContaining('x-www-form-urlencoded')])
  })

  test('with a session needs the header of sessions and the same origin', async () => {
    const user = await server.user('rosa')
    const signedIn = await server.anonymous.post('//-/sessions', { token: user.token })
    const cookie = signedIn.cookies.map((one) => one.split(';')[0]).join('; ')
    const send = async (headers: Record<string, string>) => {
      const document = { query: '{ currentUser { username } }' }
      const { status, body } = await server.anonymous.post('//api/graphql', document, {
        headers: { cookie, ...headers },
      })
      return [status, body.data?.currentUser?.username]
    }
    expect(await send({ 'x-alcove-session': '1' })).toEqual([200, 'rosa'])
    expect(await send({})).toEqual([200, undefined])
    expect(await send({ 'x-alcove-session': '1', origin: 'https://elsewhere.test' })).toEqual([403, undefined])
  })

  test('may act for a user with sudo', async () => {
    await server.user('sven')
    const { body } = await server.admin.post(
      '//api/graphql',
      { query: '{ currentUser { username } }' },
      { headers: { sudo: 'sven' } },
    )
    expect(body.data.currentUser.username).toBe('sven')
  })
})
