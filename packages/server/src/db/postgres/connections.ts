import { Socket } from 'node:net'
import pg from 'pg'
import { isoTime } from '../sql.ts'
import { isReadOnly, orUnavailable, readOnlyServer, unavailableBecause } from './errors.ts'

const maxTransactions = 8
const connectMs = 5_000
/** Maximum time that a write waits for a connection. */
const queueMs = 12_000
/**
 * Maximum time that a statement waits for a lock. It is shorter than `queueMs`, so that transactions waiting for one
 * lock do not block all other writes.
 */
const lockMs = 8_000
const statementMs = 30_000
/** Time after which a connection is considered dead: the server would have cancelled the statement earlier. */
const silenceMs = statementMs + 5_000

/** Connections of a process to one PostgreSQL server, with a circuit breaker. */
export interface Connections {
  /**
   * Returns one of a few clients on which plain queries are pipelined. Rejects immediately while the breaker is open.
   */
  shared(): Promise<SharedClient>
  /** Returns a client for one transaction. Rejects immediately while the breaker is open. */
  dedicated(): Promise<pg.PoolClient>
  /** Opens a separate client that sends one query at a time, even while the breaker is open. */
  connect(): Promise<pg.Client>
  /** Resolves, and closes the breaker, when a server that accepts writes responds to a query. */
  probe(): Promise<void>
  /** Destroys all connections, so that pending queries fail. New connections are opened on demand. */
  drop(): void
  /** Opens the breaker: drops all connections and rejects work until `restore` or `probe` closes it. */
  suspend(why: string): void
  restore(): void
  close(): Promise<void>
}

interface SharedClient {
  readonly client: pg.Client
  /** Replaces the client after its pending queries have finished. */
  retire(): void
}

export function openConnections(url: string, sharedClients: number): Connections {
  const sockets = new Set<Socket>()
  const options: pg.ClientConfig = { ...clientOptions, connectionString: url, stream: trackedSocket }
  const ring = createRing(sharedClients, () => connect(options))
  // A separate client, so that probes never wait for a slow query.
  const probes = createRing(1, () => connect(options))
  const pool = new pg.Pool({
    ...options,
    max: maxTransactions,
    connectionTimeoutMillis: queueMs,
    idleTimeoutMillis: 60_000,
    onConnect(client) {
      client.on('error', ignoreError)
      return prepareSession(client)
    },
  })
  pool.on('error', () => {})
  let suspendedBecause: string | undefined

  return {
    connect: () => connect({ ...options, pipeline: false }),
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

  async function connect(config: pg.ClientConfig): Promise<pg.Client> {
    const client = new pg.Client(config)
    // The server may end the session in the packet with which it accepts it.
    client.on('error', ignoreError)
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

/** Sends a query. Destroys the connection if there is no response within `timeoutMs` (0 for no limit). */
export function command(
  client: pg.ClientBase,
  query: string | pg.QueryConfig,
  timeoutMs = silenceMs,
): Promise<pg.QueryResult> {
  const config = typeof query === 'string' ? { text: query } : query
  const timed: pg.QueryConfig & { query_timeout: number } = { ...config, query_timeout: timeoutMs }
  return orUnavailable(client.query(timed))
}

/**
 * Creates a fixed number of shared clients that are used in rotation. A lost client is replaced when its turn comes.
 */
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
      let isRetired = false
      const retire = () => {
        forget()
        // All pipelined queries with a stale plan fail together.
        if (isRetired) return
        isRetired = true
        // Another request may be about to use this client.
        setImmediate(() => client.end().catch(() => {}))
      }
      return { client, retire }
    })
    shared.catch(forget)
    places[place] = shared
    return shared
  }
}

/** Pending statements report the error; without a listener it would end the process. */
function ignoreError(): void {}

/**
 * Compresses large values with LZ4, which takes less time than the default, unless the server is built without it or
 * its configuration names a method. Older values stay as they are; PostgreSQL reads both.
 */
const useLz4 = `select set_config(name, 'lz4', false) from pg_settings
  where name = 'default_toast_compression' and source = 'default' and 'lz4' = any(enumvals)`

async function prepareSession(client: pg.ClientBase): Promise<void> {
  await command(
    client,
    `set time zone 'UTC'; set datestyle = 'ISO'; set client_min_messages = 'warning';
    set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs};
    set idle_in_transaction_session_timeout = '60s'; ${useLz4}`,
    connectMs,
  )
  await assertWritable(client)
}

/** Rejects a server that is read-only, such as a standby, like libpq's `target_session_attrs=read-write`. */
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
