import { afterAll } from 'vitest'
import { removeReusedDatabases } from './databases/reused-database.ts'
import { closeLeftServers } from './server.ts'

// Closes servers after each test file. A hook cannot be registered from within `beforeAll`, so it is registered here.
afterAll(async () => {
  try {
    await closeLeftServers()
  } finally {
    await removeReusedDatabases()
  }
})
