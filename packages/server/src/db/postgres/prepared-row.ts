import type { BindConfig, Client, Connection } from 'pg'

/**
 * Executes a statement that the client has already prepared and returns the only row as texts, without describing columns
 * or converting values. The client must not pipeline.
 */
export function executePrepared(client: Client, statement: string, values: string[]): Promise<TextRow> {
  return new Promise((resolve, reject) => {
    let row: TextRow = []
    // The interface of a query that the driver calls.
    client.query({
      submit(connection: Connection) {
        execute(connection, { statement, values })
      },
      handleDataRow({ fields }: { fields: TextRow }) {
        row = fields
      },
      handleCommandComplete() {},
      handleReadyForQuery() {
        resolve(row)
      },
      handleError: reject,
    })
  })
}

export type TextRow = readonly (string | null)[]

/** Sends all messages in one packet. */
function execute(connection: Connection, bound: BindConfig): void {
  connection.stream.cork()
  try {
    connection.bind(bound, true)
    connection.execute(null, true)
    connection.sync()
  } finally {
    connection.stream.uncork()
  }
}
