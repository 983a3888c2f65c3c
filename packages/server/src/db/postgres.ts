import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { Failure } from '../platform/failure.ts'
import { type ChangeLog, type ForeignKey, foreignKeyQueries } from './changes.ts'
import { openCommitLog } from './commit-log.ts'
import type { Engine, Result, Session } from './open.ts'
import { isoTime, plainValue, postgresDialect, statementName } from './sql.ts'

const maxTransactions = 8
const maxAttempts = 5

/**
 * Plain queries share a few connections and are pipelined on them. Whatever writes or may wait for a lock has a
 * connection to itself, so that it never delays the queries behind it.
 */
export async function openPostgres(
  options: { url: string; connections?: number },
  changes: ChangeLog,
): Promise<Engine> {
  const self = randomBytes(6).toString('hex')
  const connect = () => connectClient(options.url)
  const shared = createRing(options.connections ?? 4, connect)
  const dedicated = new pg.Pool({
    ...clientOptions,
    connectionString: options.url,
    max: maxTransactions,
    // Also for waiting in line.
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    onConnect: prepareSession,
  })
  dedicated.on('error', () => {})

  const engine: Engine = {
    dialect: postgresDialect,
    async execute(query, want) {
      const { text, values } = query
      const written = changes.tablesWritten(text)
      if (written.length > 0) return engine.transaction((session) => session.execute(query, want))
      for (;;) {
        const { client, retire } = await shared.next()
        try {
          return await send(client, text, values)
        } catch (error) {
          if (!isStalePlan(error)) throw error
          retire()
        }
      }
    },

    async transaction(work, { isProvisional = false } = {}) {
      for (let attempt = 1; ; ) {
        const client = await orUnavailable(dedicated.connect())
        const written = new Set<string>()
        let failure: unknown
        let committing = false
        let usable = true
        const remember = (error: unknown) => {
          failure ??= error
          throw error
        }
        const session: Session = {
          execute({ text, values }) {
            for (const table of changes.tablesWritten(text)) written.add(table)
            return send(client, text, values).catch(remember)
          },
          script: (text) => command(client, text).then(() => {}, remember),
        }
        try {
          // Not awaited: the first statement travels with it, and fails when it does.
          const begun = command(client, isProvisional ? 'begin; set local synchronous_commit = off' : 'begin')
          begun.catch(() => {})
          const result = await work(session)
          committing = true
          await commit(client, begun, written)
          return result
        } catch (error) {
          usable = await command(client, 'rollback').then(
            () => !isStalePlan(failure),
            () => false,
          )
          // Every connection is stale at most once, so this does not count as an attempt.
          const again = isStalePlan(failure) || (isConflict(failure ?? error) && attempt++ < maxAttempts)
          if (committing && error instanceof Failure && error.cause.kind === 'unavailable') error.cause.inDoubt = true
          if (!again) throw error
        } finally {
          // A commit whose answer was lost may have happened.
          if (committing) changes.bump(written)
          client.release(!usable)
        }
        await setTimeout(Math.random() * 20 * attempt)
      }
    },

    // A commit is seen when it is on the disk, or on the standbys, as the server is set.
    settled: async () => {},
    async foreignKeys() {
      const { rows } = await command((await shared.next()).client, foreignKeyQueries.postgres)
      return rows as ForeignKey[] // the columns that were asked for
    },
    async schemaChanged() {
      await command((await shared.next()).client, commits.schemaChanged())
    },
    ready: async () => void (await command((await shared.next()).client, 'select 1')),
    synchronize: () => commits.synchronize(),
    async close() {
      await Promise.all([commits.close(), shared.close(), dedicated.end()])
    },
  }

  const refresh = async () => changes.refresh(await engine.foreignKeys())
  const commits = await openCommitLog({ changes, self, connect, refresh }).catch(async (error: unknown) => {
    await shared.close()
    throw error
  })
  return engine

  /** One round trip: what the other processes read is written by the transaction, or not at all. */
  async function commit(client: pg.ClientBase, begun: Promise<unknown>, written: Set<string>): Promise<void> {
    const recorded = written.size > 0 ? commits.record(written).map((query) => command(client, query)) : []
    const [ended] = await Promise.all([command(client, 'commit'), begun, ...recorded])
    if (ended.command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back instead of committing it')
  }
}

async function send(client: pg.ClientBase, text: string, unbound: readonly unknown[]): Promise<Result> {
  const values = unbound.map(plainValue)
  const name = statementName(text)
  const result = await command(client, name === undefined ? { text, values } : { name, text, values })
  return { rows: result.rows, changed: result.rowCount ?? 0 }
}

function command(client: pg.ClientBase, query: string | pg.QueryConfig): Promise<pg.QueryResult> {
  return orUnavailable(client.query(query))
}

interface SharedClient {
  readonly client: pg.Client
  /** Lets it answer what it was asked, and puts another one in its place. */
  retire(): void
}

/** A fixed number of shared clients, taken in turn; one that is gone is replaced when its turn comes. */
function createRing(size: number, connect: () => Promise<pg.Client>) {
  const places: (Promise<SharedClient> | undefined)[] = []
  let at = 0
  let closed = false
  return {
    async next(): Promise<SharedClient> {
      if (closed) throw new Error('the database is closed')
      at = (at + 1) % size
      return places[at] ?? fill(at)
    },
    async close() {
      closed = true
      await Promise.all(places.map((place) => place?.then(({ client }) => client.end()).catch(() => {})))
    },
  }

  function fill(place: number): Promise<SharedClient> {
    const forget = () => {
      if (places[place] === shared) places[place] = undefined
    }
    const shared = connect().then((client) => {
      client.once('error', forget).once('end', forget)
      const retire = () => {
        forget()
        // Somebody may have taken it and be about to use it.
        setImmediate(() => client.end().catch(() => {}))
      }
      return { client, retire }
    })
    shared.catch(forget)
    places[place] = shared
    return shared
  }
}

async function connectClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...clientOptions, connectionString: url })
  try {
    await orUnavailable(client.connect())
    await prepareSession(client)
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

const clientOptions: pg.ClientConfig = {
  pipeline: true,
  application_name: 'alcove',
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: { getTypeParser: (oid, format) => parsers[oid] ?? pg.types.getTypeParser(oid, format) },
}

async function prepareSession(client: pg.ClientBase): Promise<void> {
  // The statements in flight report it; without a listener it would end the process.
  client.on('error', () => {})
  await command(
    client,
    `set time zone 'UTC'; set datestyle = 'ISO'; set client_min_messages = 'warning';
    set statement_timeout = '30s'; set idle_in_transaction_session_timeout = '60s'`,
  )
}

const { builtins } = pg.types
const asText = (text: string) => text
const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: Number,
  [builtins.NUMERIC]: Number,
  [builtins.DATE]: asText,
  [builtins.TIMESTAMP]: asText,
  [builtins.TIMESTAMPTZ]: isoTime,
}

/** A serialization failure or a deadlock: doing it again may succeed. */
const isConflict = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')

/** Another process has changed the columns of a statement that was prepared before. */
const isStalePlan = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'

/** Everything but an answer of the server to this statement: it went away, is going away, or has no room. */
const isLoss = (error: unknown) =>
  !(error instanceof pg.DatabaseError) || /^(08|53100|53300|57P0)/.test(error.code ?? '')

async function orUnavailable<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (!isLoss(error)) throw error
    const failure = new Failure({ kind: 'unavailable', what: 'database' })
    failure.message += `: ${error instanceof Error ? error.message : error}`
    throw failure
  }
}
