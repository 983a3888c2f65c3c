import { Socket } from 'node:net'
import pg from 'pg'
import { isoTime } from '../sql.ts'
import { isReadOnly, orUnavailable, readOnlyServer, unavailableBecause } from './errors.ts'

const maxTransactions = 8
const connectMs = 5_000
/** How long a write waits for one of the connections. */
const queueMs = 12_000
/** Less than a write waits, so that transactions behind one lock do not keep all other writes from running. */
const lockMs = 8_000
const statementMs = 30_000
/** The server has cancelled the statement by then: no response means that the connection is dead. */
const silenceMs = statementMs + 5_000

/** The connections of a process to one PostgreSQL, with a circuit breaker. */
export interface Connections {
  /** One of a few clients on which plain queries are pipelined. Rejects at once while the breaker is open. */
  shared(): Promise<SharedClient>
  /** A client for one transaction. Rejects at once while the breaker is open. */
  dedicated(): Promise<pg.PoolClient>
  /** A client of its own, also while the breaker is open. */
  connect(): Promise<pg.Client>
  /** Resolves when a query is answered by a server that can write, and closes the breaker then. */
  probe(): Promise<void>
  /** Destroys all connections, in use or not: what waits for them fails, and new ones are made when they are needed. */
  drop(): void
  /** Opens the breaker: drops all connections, and refuses work until `restore` or `probe` closes it. */
  suspend(why: string): void
  restore(): void
  close(): Promise<void>
}

interface SharedClient {
  readonly client: pg.Client
  /** Finishes what was sent, and puts another client in its place. */
  retire(): void
}

export function openConnections(url: string, sharedClients: number): Connections {
  const sockets = new Set<Socket>()
  const options: pg.ClientConfig = { ...clientOptions, connectionString: url, stream: trackedSocket }
  const ring = createRing(sharedClients, connect)
  // Never behind a slow query.
  const probes = createRing(1, connect)
  const pool = new pg.Pool({
    ...options,
    max: maxTransactions,
    connectionTimeoutMillis: queueMs,
    idleTimeoutMillis: 60_000,
    onConnect: prepareSession,
  })
  pool.on('error', () => {})
  let suspendedBecause: string | undefined

  return {
    connect,
    drop,
    shared: () => whileClosed(() => ring.next()),
    dedicated: () => whileClosed(() => orUnavailable(pool.connect())),
    async probe() {
      const { client } = await probes.next()
      try {
        await assertWritable(client)
      } catch (error) {
        if (isReadOnly(error)) drop()
        throw error
      }
      suspendedBecause = undefined
    },
    suspend(why) {
      suspendedBecause = why
      drop()
    },
    restore() {
      suspendedBecause = undefined
    },
    async close() {
      await Promise.all([ring.close(), probes.close(), pool.end()])
    },
  }

  async function whileClosed<Client>(next: () => Promise<Client>): Promise<Client> {
    if (suspendedBecause !== undefined) throw unavailableBecause(new Error(suspendedBecause))
    return next()
  }

  function drop(): void {
    for (const socket of sockets) socket.destroy()
  }

  function trackedSocket(): Socket {
    const socket = new Socket()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(options)
    try {
      await orUnavailable(client.connect())
      await prepareSession(client)
      return client
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
  }
}

/** Sends a query. Without a response within `timeoutMs` (0: any time) the connection is destroyed. */
export function command(
  client: pg.ClientBase,
  query: string | pg.QueryConfig,
  timeoutMs = silenceMs,
): Promise<pg.QueryResult> {
  const config = typeof query === 'string' ? { text: query } : query
  const timed: pg.QueryConfig & { query_timeout: number } = { ...config, query_timeout: timeoutMs }
  return orUnavailable(client.query(timed))
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
        // Another request may have taken it and be about to use it.
        setImmediate(() => client.end().catch(() => {}))
      }
      return { client, retire }
    })
    shared.catch(forget)
    places[place] = shared
    return shared
  }
}

async function prepareSession(client: pg.ClientBase): Promise<void> {
  // The statements in flight report it; without a listener it would end the process.
  client.on('error', () => {})
  await command(
    client,
    `set time zone 'UTC'; set datestyle = 'ISO'; set client_min_messages = 'warning';
    set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs};
    set idle_in_transaction_session_timeout = '60s'`,
    connectMs,
  )
  await assertWritable(client)
}

/** As `target_session_attrs=read-write` does in libpq. A standby is read-only, too. */
async function assertWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await command(client, 'show transaction_read_only', connectMs)
  if (rows[0]?.transaction_read_only !== 'on') return
  throw readOnlyServer()
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

const clientOptions: pg.ClientConfig = {
  pipeline: true,
  application_name: 'alcove',
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: { getTypeParser: (oid, format) => parsers[oid] ?? pg.types.getTypeParser(oid, format) },
}
