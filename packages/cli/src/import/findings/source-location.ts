import { parseServerUrl } from '../../connection.ts'
import { wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { openSource, type SourceApi } from './source-api.ts'

/** Where findings are read from: an API or a file. */
export interface SourceLocation {
  /** Address of the product. */
  from?: string
  /** Token of the product; by default that of a variable. */
  token?: string
  /** File with responses of its API. */
  file?: string
  /** How long failed requests are repeated, in seconds. */
  retry?: number | undefined
}

/** Throws unless exactly one place is given. */
export function assertLocation({ from, file }: SourceLocation): void {
  if ((from === undefined) === (file === undefined)) {
    throw wrongUsage('Name either the address of the server with --from, or a file with --file.')
  }
}

/** Returns the token of the product: of the option, or of a variable, which no list of processes shows. */
function sourceToken({ env }: Io, { name, variable, token }: TokenSource): string {
  const found = (token ?? env[variable])?.trim()
  if (found && /^[\x21-\x7e]+$/.test(found)) return found
  throw wrongUsage(`The token of ${name} is missing. Set ${variable}, or use --token.`)
}

interface TokenSource {
  name: string
  variable: string
  token: string | undefined
}

/** Opens the API of a product with the address and the token of the options. */
export function openApi(
  io: Io,
  { from = '', token, retry }: SourceLocation,
  { name, variable, authorize }: ApiKind,
): SourceApi {
  const headers = authorize(sourceToken(io, { name, variable, token }))
  return openSource(io, {
    name,
    variable,
    headers,
    url: parseServerUrl(from),
    retryMs: retry === undefined ? undefined : retry * 1000,
  })
}

/** How the API of a product is used. */
interface ApiKind {
  name: string
  /** Variable with the token. */
  variable: string
  authorize(token: string): Readonly<Record<string, string>>
}
