import type { BindConfig, Client, Connection } from 'pg'

/**
 * Executes a statement that the client has prepared with `prepare`, and returns its only row as texts. Skips the description
 * of the columns and the conversion of values. The client must not pipeline queries.
 */
export function executePrepared(client: Client, statement: string, values: string[]): Promise<TextRow> {
  return new Promise((resolve, reject) => {
    let row: TextRow = []
    // The driver's interface for queries of other modules.
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

/** Values of a row in PostgreSQL's text format. */
export type TextRow = readonly (string | null)[]

/** Sends the messages of one execution as one packet. */
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
