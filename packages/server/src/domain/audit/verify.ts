import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../db/db.ts'
import { findChain, listSealed } from './audit-event-queries.ts'
import { linkHash } from './chain.ts'

/** Result of the verification of the chain. */
export interface ChainReport {
  /** Number of events that were verified. */
  verified: number
  /** Position and hash of the last event, to be compared with a copy that was kept elsewhere. */
  end: { position: number; hash: string }
  /** First problem. Absent when the chain is intact. */
  problem?: string
}

const batchSize = 1000

/** Recomputes the chain from its checkpoint, and stops at the first event that was changed, removed or inserted. */
export async function verifyAuditEvents(db: Db): Promise<ChainReport> {
  const chain = await findChain(db)
  if (!chain) return { verified: 0, end: { position: 0, hash: '' }, problem: 'the row of audit_chain is missing' }
  let end = { position: chain.basePosition, hash: chain.baseHash }
  const report = (problem?: string): ChainReport => ({
    verified: end.position - chain.basePosition,
    end,
    ...(problem !== undefined && { problem }),
  })
  while (end.position < chain.position) {
    const events = await listSealed(db, end.position, batchSize)
    for (const event of events) {
      const position = end.position + 1
      if (event.position !== position) return report(removedAt(position))
      const hash = linkHash(end.hash, event)
      if (hash !== event.hash) {
        return report(`event ${event.id} (position ${position}, ${event.createdAt}) was modified or inserted`)
      }
      end = { position, hash }
    }
    if (events.length === 0) return report(removedAt(end.position + 1))
    await setImmediate()
  }
  if (end.hash !== chain.hash) return report(`the end of the chain (position ${end.position}) was modified`)
  return report()
}

const removedAt = (position: number) => `the event at position ${position} was removed`
