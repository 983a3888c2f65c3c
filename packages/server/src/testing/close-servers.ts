import { afterAll } from 'vitest'
import { closeLeftServers } from './server.ts'

// A hook for the end of a file cannot be registered from within `beforeAll`, so it is registered here for all files.
afterAll(closeLeftServers)
