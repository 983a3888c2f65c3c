import type { TrackerError } from './clients/exchange.ts'
import type { TrackerAccess } from './tracker.ts'

/** Explains why a tracker could not be read. */
export function explainFailure({ url, place }: TrackerAccess, { status, message }: TrackerError): string {
  const { host } = new URL(url)
  if (status === 401) return `${host} does not accept the token. It is wrong, has expired or was revoked.`
  if (status === 403) return `${host} accepts the token, but it may not read ${place}. Check its scopes and its role.`
  if (status === 404) return `There is no project ${place} on ${host}, or the token may not see it.`
  if (status === 429) return `${host} accepts no more requests for now. Try again later.`
  if (status !== undefined && status >= 300 && status <= 399)
    return `${host} redirects to another address. Enter that URL.`
  if (status !== undefined && status >= 200 && status <= 299) {
    return `${host} responds, but not as a tracker of this kind. Check the kind and the URL.`
  }
  return `${host} could not be reached: ${message}.`
}
