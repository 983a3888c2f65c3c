import { Failure } from '../../../platform/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Upload } from '../upload.ts'

/** Time after which a client may try again to download a file that waits for its scan. */
const retryAfterSeconds = 10

/** Refuses access to the bytes of a quarantined upload and, if the operator wants it, of one that waits for its scan. */
export function assertReadable({ settings }: Pick<Deps, 'settings'>, { scan }: Pick<Upload, 'scan'>): void {
  if (scan.state === 'infected') {
    const sentence = 'this file is quarantined, because a virus scan found a threat; an administrator can release it'
    throw new Failure({ kind: 'forbidden', sentence })
  }
  if (scan.state === 'pending' && settings.clamd?.holdsPending) {
    const sentence = 'this file waits for its virus scan; try again later'
    throw new Failure({ kind: 'conflict', sentence, retryAfterSeconds })
  }
}
