import { startServer, type TestOptions, type TestServer } from '../../../server/src/testing/server.ts'

/** A server under test that listens on loopback, with the settings of its administrator for commands. */
export interface ListeningServer extends TestServer {
  url: string
  env: { ALCOVE_URL: string; ALCOVE_TOKEN: string }
  /** Settings of another user. */
  envOf(client: { token?: string }): { ALCOVE_URL: string; ALCOVE_TOKEN: string }
}

/** Starts a server that listens on a free port. It ends with the test, or with the file. */
export async function listeningServer(options: TestOptions = {}): Promise<ListeningServer> {
  const server = await startServer(options)
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const envOf = ({ token = '' }: { token?: string }) => ({ ALCOVE_URL: url, ALCOVE_TOKEN: token })
  return { ...server, url, env: envOf(server.admin), envOf }
}
