import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { unavailable } from '../../platform/failure.ts'
import type { Client } from '../../testing/client.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../testing/server.ts'

/*
 * The requests of python-gitlab's class GraphQL (5.0 and later), which sends them with gql and httpx: a document and its
 * variables as JSON with a bearer token. It repeats a request after the status 429 when Retry-After has passed, and with
 * `retry_transient_errors` after 500, 502, 503 and 504. A body with `data` or `errors` is a result with any status.
 */

class GitlabHttpError extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(`${status} ${text}`)
    this.status = status
  }
}
class TransportQueryError extends Error {}
class TransportProtocolError extends Error {}

interface Options {
  token: string
  retryTransientErrors?: boolean
  maxRetries?: number
  /** Waits for a number of seconds. */
  sleep: (seconds: number) => void
}

const transient = [500, 502, 503, 504]

/** Returns the function `execute` of the client. */
function pythonGitlab(client: Client, { token, retryTransientErrors = false, maxRetries = 10, sleep }: Options) {
  return async (query: string, variables?: object) => {
    for (let retries = 0; ; retries++) {
      const { status, text, headers } = await client.post(
        '//api/graphql',
        { query, ...(variables && { variables }) },
        { headers: { authorization: `Bearer ${token}`, 'user-agent': 'python-gitlab/5.6.0', accept: '*/*' } },
      )
      const result = parse(text)
      if (result && ('errors' in result || 'data' in result)) {
        if (result.errors) throw new TransportQueryError(JSON.stringify(result.errors[0]))
        return result.data
      }
      if (status < 400) throw new TransportProtocolError(text)
      const mayRepeat = status === 429 || (retryTransientErrors && transient.includes(status))
      if (!mayRepeat || retries >= maxRetries) throw new GitlabHttpError(status, text)
      sleep(headers['retry-after'] === undefined ? 2 ** retries * 0.1 : Number(headers['retry-after']))
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
function parse(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

let server: TestServer
let project: TestProject
let token: string
const clock = { now: '2026-05-01T10:15:00.000Z' }
let slept: number[]
const sleep = (seconds: number) => {
  slept.push(seconds)
  clock.now = new Date(Date.parse(clock.now) + seconds * 1000).toISOString()
  onSleep()
}
let onSleep = () => {}

beforeEach(async () => {
  slept = []
  const rateLimits = { endpoints: false, authenticated: { requests: 20, periodSeconds: 60 } }
  server = await startServer({ clock, settings: { rateLimits } })
  project = await server.project('acme/shop')
  await server.report(project, [entry({ line: 1, severity: 'High', name: 'Path traversal' })])
  const developer = await server.as('developer', project)
  token = developer.token ?? ''
  onSleep = () => {}
  // The requests above are of another period.
  sleep(120)
  slept = []
})

const list = `query ($path: ID!) { project(fullPath: $path) { vulnerabilities { nodes { id title } } } }`

describe('python-gitlab', () => {
  test('executes queries with variables, and the introspection from which it can load the schema', async () => {
    const execute = pythonGitlab(server.anonymous, { token, sleep })
    const { nodes } = (await execute(list, { path: 'acme/shop' })).project.vulnerabilities
    expect(nodes).toEqual([{ id: expect.stringMatching(/^gid:/), title: 'Path traversal' }])
    const { __schema: schema } = await execute(
      '{ __schema { queryType { name } types { kind name } directives { name locations } } }',
    )
    expect(schema.queryType).toEqual({ name: 'Query' })
    // gql refuses a schema with a location that it does not know.
    const locations = schema.directives.flatMap(({ locations }: { locations: string[] }) => locations)
    expect([...new Set(locations)].sort()).toEqual([
      ...['ARGUMENT_DEFINITION', 'ENUM_VALUE', 'FIELD', 'FIELD_DEFINITION', 'FRAGMENT_SPREAD'],
      ...['INLINE_FRAGMENT', 'INPUT_FIELD_DEFINITION', 'INPUT_OBJECT', 'SCALAR'],
    ])
  })

  test('executes mutations, whose refusals are errors of the query', async () => {
    const execute = pythonGitlab(server.anonymous, { token, sleep })
    const [{ id }] = (await execute(list, { path: 'acme/shop' })).project.vulnerabilities.nodes
    const mutation =
      'mutation ($id: VulnerabilityID!) { vulnerabilityConfirm(input: { id: $id }) { errors vulnerability { state } } }'
    await expect(execute(mutation, { id })).rejects.toThrow("you don't have permission to perform this action")
    const root = pythonGitlab(server.anonymous, { token: server.admin.token ?? '', sleep })
    expect((await root(mutation, { id })).vulnerabilityConfirm).toEqual({
      errors: [],
      vulnerability: { state: 'CONFIRMED' },
    })
  })

  test('is refused with a wrong token', async () => {
    const execute = pythonGitlab(server.anonymous, { token: 'glpat-no-such-token-at-all', sleep })
    await expect(execute('{ currentUser { id } }')).rejects.toThrow('401 Unauthorized')
  })

  test('waits until the rate limit permits its request again', async () => {
    const execute = pythonGitlab(server.anonymous, { token, sleep })
    for (let count = 0; count < 25; count++) {
      expect(await execute('{ currentUser { username } }')).toMatchObject({ currentUser: {} })
    }
    expect(slept).toHaveLength(1)
    expect(slept[0]).toBeGreaterThan(0)
    const impatient = pythonGitlab(server.anonymous, { token, sleep, maxRetries: 0 })
    const requests = Array.from({ length: 30 }, () => impatient('{ __typename }').catch((error) => error.status))
    expect(await Promise.all(requests)).toContain(429)
  })

  describe('while the database is away', () => {
    let restore = () => {}
    beforeEach(() => {
      const { db } = server.deps
      const { all, one } = db
      const away = () => Promise.reject(unavailable('the database', 'a test'))
      Object.assign(db, { all: away, one: away })
      restore = () => void Object.assign(db, { all, one })
    })
    afterEach(() => restore())

    test('repeats its request if that is asked for', async () => {
      onSleep = () => restore()
      const execute = pythonGitlab(server.anonymous, { token, sleep, retryTransientErrors: true })
      expect(await execute('{ currentUser { username } }')).toMatchObject({ currentUser: {} })
      expect(slept).toEqual([5])
    })

    test('reports the status otherwise', async () => {
      const execute = pythonGitlab(server.anonymous, { token, sleep })
      await expect(execute('{ currentUser { username } }')).rejects.toThrow(/^503 /)
    })
  })
})
