import { appendLines } from '../../platform/append-lines.ts'
import { post } from '../../platform/outgoing/send.ts'
import { sendSyslog } from '../../platform/outgoing/syslog.ts'
import type { AuditDestination } from '../../platform/settings/audit-stream-settings.ts'
import { version } from '../../platform/version.ts'
import type { RootDeps } from '../deps.ts'
import type { SealedEvent } from './audit-event.ts'
import { lineOf, syslogFrameOf } from './stream-lines.ts'

const timeoutMs = 30_000

/** Sends events. Resolves when the destination has accepted all of them, and rejects when it may not have. */
export async function sendEvents(
  { settings, resolve }: Pick<RootDeps, 'settings' | 'resolve'>,
  destination: AuditDestination,
  events: readonly SealedEvent[],
  signal: AbortSignal,
): Promise<void> {
  const lines = () => events.map((event) => `${lineOf(event)}\n`).join('')
  switch (destination.kind) {
    case 'file':
      return appendLines(destination.path, lines())
    case 'syslog': {
      const frames = events.map((event) => syslogFrameOf(settings, event))
      return sendSyslog(destination, frames, { timeoutMs, signal })
    }
    case 'http': {
      const { status } = await post({
        url: destination.url,
        headers: {
          'User-Agent': `Alcove/${version}`,
          'Content-Type': 'application/x-ndjson',
          ...destination.headers,
        },
        body: lines(),
        timeoutMs,
        maxResponseBytes: 1024,
        verifiesCertificates: true,
        // The operator chooses the receiver.
        reachesPrivate: true,
        resolve,
        signal,
      })
      if (status < 200 || status > 299) throw new Error(`the receiver responded with the status ${status}`)
    }
  }
}
