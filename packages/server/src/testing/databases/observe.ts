import type { Sql } from 'sql-template-tag'
import type { Database, Db } from '../../db/db.ts'

/** Returns the same database; `observe` sees every statement before it runs, inside transactions too. */
export function observeDatabase(database: Database, observe: (query: Sql) => void): Database {
  function observed<Handle extends Db>(db: Handle): Handle {
    const seen = (query: Sql) => {
      observe(query)
      return query
    }
    return {
      ...db,
      all: (query: Sql) => db.all(seen(query)),
      one: (query: Sql) => db.one(seen(query)),
      run: (query: Sql) => db.run(seen(query)),
    }
  }
  return {
    ...observed(database),
    transaction: (work, options) => database.transaction((tx) => work(observed(tx)), options),
  }
}
