import type { ClamdAddress } from './outgoing/clamd.ts'
import type { SettingValues } from './settings/setting-values.ts'

export interface ClamdSettings {
  address: ClamdAddress
  /** Whether files that wait for their scan cannot be downloaded. */
  holdsPending: boolean
}

export function readClamd(values: SettingValues): ClamdSettings | undefined {
  const allowed = 'host:port, such as 127.0.0.1:3310, or unix:/path/of/the/socket'
  const text = values.check('CLAMD', (value) => parseAddress(value) !== undefined, allowed)
  const holdsPending = values.isTrue('CLAMD_HOLD')
  if (holdsPending && !values.has('CLAMD')) {
    values.problems.push('ALCOVE_CLAMD is not set; allowed is the address of clamd when ALCOVE_CLAMD_HOLD is true.')
  }
  const address = text === undefined ? undefined : parseAddress(text)
  return address && { address, holdsPending }
}

export function formatClamdAddress(address: ClamdAddress): string {
  if ('path' in address) return `unix:${address.path}`
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`
}

function parseAddress(text: string): ClamdAddress | undefined {
  if (text.startsWith('unix:/')) return { path: text.slice('unix:'.length) }
  const [, inBrackets, name, digits] = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([\w.-]{1,253})):(\d{1,5})$/.exec(text) ?? []
  const [host, port] = [inBrackets ?? name, Number(digits)]
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined
}
