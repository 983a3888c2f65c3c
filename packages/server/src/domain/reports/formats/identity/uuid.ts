import { hash } from 'node:crypto'

/** Namespace of the uuids of findings, the same as on self-managed GitLab servers. */
export const findingNamespace = '58dc0f06-936c-43b3-93bb-71693f1b6570'

const namespaceBytes = new Map<string, Buffer>()

function bytesOf(namespace: string): Buffer {
  const bytes = namespaceBytes.get(namespace) ?? Buffer.from(namespace.replaceAll('-', ''), 'hex')
  namespaceBytes.set(namespace, bytes)
  return bytes
}

/** Computes a version 5 UUID (RFC 4122). */
export function nameUuid(namespace: string, name: string): string {
  const digest = hash('sha1', Buffer.concat([bytesOf(namespace), Buffer.from(name)]))
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    `${variant}${digest.slice(18, 20)}`,
    digest.slice(20, 32),
  ].join('-')
}
