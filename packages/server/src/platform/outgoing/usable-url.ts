import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.ts'
import { hostOf } from './send.ts'

const maxUrlLength = 2048

/** Returns true when a user may name this URL. Host names are resolved when it is used. */
export function isUsableUrl(text: string, reachesPrivate: boolean): boolean {
  if (text.length > maxUrlLength || !URL.canParse(text)) return false
  const url = new URL(text)
  if (!['http:', 'https:'].includes(url.protocol)) return false
  const host = hostOf(url)
  return reachesPrivate || !(isIP(host) ? !isPublicAddress(host) : /(^|\.)localhost\.?$/.test(host))
}
