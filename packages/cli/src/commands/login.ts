import { RequestFailed } from '@alcove/client'
import { assertToken, clientFor, parseServerUrl } from '../connection.ts'
import { wrongUsage } from '../exit.ts'
import type { Io } from '../io.ts'
import { readLogin, removeLogin, writeLogin } from '../login-file.ts'
import { plain, safeJson } from '../safe-text.ts'

export interface LoginOptions {
  url?: string
  retry?: number
  timeout?: number
  json?: boolean
}

/** Checks a token and stores it with the address of its server. */
export async function runLogin(io: Io, options: LoginOptions): Promise<void> {
  const address = options.url ?? io.env['ALCOVE_URL'] ?? (await readLogin(io).catch(() => undefined))?.url
  if (!address)
    throw wrongUsage('The address of the server is missing. Example: alcove login --url https://alcove.example.com')
  const url = parseServerUrl(address)
  const token = assertToken(await readToken(io, url))
  const user = await findUser(io, { ...options, url, token })
  const file = await writeLogin(io, { url, token })
  const name = user ?? 'a token with limited scopes'
  if (options.json) io.stdout.write(`${safeJson({ server: url, user: user ?? null, file })}\n`)
  else io.stdout.write(`Signed in to ${url} as ${plain(name)}. The token is stored in ${plain(file)}.\n`)
}

/** Removes the stored token. It stays valid on the server. */
export async function runLogout(io: Io, { json }: { json?: boolean }): Promise<void> {
  const isRemoved = await removeLogin(io)
  if (json) io.stdout.write(`${safeJson({ removed: isRemoved })}\n`)
  else
    io.stdout.write(
      isRemoved ? 'The stored token was removed. It stays valid on the server.\n' : 'There is no stored token.\n',
    )
}

/** Reads the token from a terminal without showing it, from the standard input, or from `ALCOVE_TOKEN`. */
async function readToken(io: Io, url: string): Promise<string> {
  if (io.stdin.isTerminal) {
    io.stderr.write(`Personal access token for ${url} (not shown): `)
    const token = await io.stdin.secret()
    io.stderr.write('\n')
    return token.trim()
  }
  const token = (await io.stdin.text()).trim() || io.env['ALCOVE_TOKEN']?.trim()
  if (!token) throw wrongUsage('There is no token. Type it on a terminal, or pass it on the standard input.')
  return token
}

/** Returns the username of the token, or `undefined` for a token whose scopes do not permit to read it. */
async function findUser(io: Io, target: Parameters<typeof clientFor>[1]): Promise<string | undefined> {
  try {
    return (await clientFor(io, target).call('GET /user', {})).username
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 403) return undefined
    throw error
  }
}
