import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** A peer: Parse Server from npm, installed in a folder of its own, on a database of the given PostgreSQL. */
const [installed = '', socketFolder = '', database = ''] = process.argv.slice(2)

/** The used part of the package, which is no dependency of the project. */
interface ParseModule {
  ParseServer: new (options: object) => { start(): Promise<unknown>; app: RequestListener }
}
const load = createRequire(join(installed, 'node_modules', 'parse-server', 'package.json'))
const { ParseServer } = load('./lib/index.js') as ParseModule
const FilesAdapter = load('@parse/fs-files-adapter') as new (options: object) => object

const server = createServer({ keepAliveTimeout: 60_000 })
server.listen(0, '127.0.0.1', async () => {
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const parse = new ParseServer({
    appId: 'bench',
    masterKey: 'bench-master-key',
    serverURL: `${url}/parse`,
    databaseURI: `postgres://postgres@localhost/${database}`,
    databaseOptions: { host: socketFolder },
    filesAdapter: new FilesAdapter({ filesSubDirectory: '' }),
    logLevel: 'error',
    allowClientClassCreation: true,
    silent: true,
    logsFolder: null,
    verbose: false,
  })
  await parse.start()
  server.on('request', (request, response) => {
    request.url = request.url?.replace(/^\/parse/, '') ?? '/'
    parse.app(request, response)
  })
  console.log(`Parse Server serves ${url} now`)
})
process.on('SIGTERM', () => process.exit(0))
