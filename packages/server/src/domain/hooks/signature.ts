import { createHmac } from 'node:crypto'

const secretPrefix = 'whsec_'

/**
 * Returns the headers that sign a delivery as GitLab and the Standard Webhooks specification do: an HMAC with SHA-256 of
 * id, time in seconds and body. A token of the form `whsec_…` is the key in Base64; any other token is the key itself.
 */
export function signatureHeaders(
  token: string,
  { id, now, body }: { id: string; now: string; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(Date.parse(now) / 1000))
  const key = token.startsWith(secretPrefix)
    ? Buffer.from(token.slice(secretPrefix.length), 'base64')
    : Buffer.from(token)
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
