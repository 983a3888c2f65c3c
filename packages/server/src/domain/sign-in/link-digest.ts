import { hash } from 'node:crypto'

/** Digest under which the secret of a link is stored. */
export function digestLink(secret: string): string {
  return hash('sha256', secret)
}
