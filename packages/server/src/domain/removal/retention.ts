import { type ExpiredRows, expiredRows } from '../../db/expired-rows.ts'
import { countExpiredAuditEvents } from '../audit/remove-old.ts'
import type { RootDeps } from '../deps.ts'
import { countExpiredExports } from '../exports/exports.ts'
import { countOldEvents } from '../hooks/deliver.ts'
import { countOldImports } from '../reports/imports/old-imports.ts'
import { idleRefs } from '../reports/refs/close-idle-refs.ts'
import { countUnreferencedUploads } from '../uploads/references/upload-references.ts'
import { countOldObservations } from '../vulnerabilities/triage/history/old-observations.ts'

export const retentionKinds = [
  'refs',
  'imports',
  'histories',
  'audit_events',
  'exports',
  'webhook_events',
  'unreferenced_uploads',
] as const

/** What the next run of a periodic task removes or, for refs, closes. */
export interface RetentionPreview extends ExpiredRows {
  kind: (typeof retentionKinds)[number]
  /** 0 keeps everything. */
  days: number
}

const nothing = expiredRows(0, null)

/** Returns what the next runs remove, from the queries that the removals use. */
export async function previewRetention(deps: RootDeps): Promise<RetentionPreview[]> {
  const { refRetentionDays, retentionDays, unreferencedUploadDays } = deps.settings
  return [
    { kind: 'refs', days: refRetentionDays, ...(await countIdleRefs(deps)) },
    { kind: 'imports', days: retentionDays.imports, ...((await countOldImports(deps)) ?? nothing) },
    { kind: 'histories', days: retentionDays.histories, ...((await countOldObservations(deps)) ?? nothing) },
    { kind: 'audit_events', days: retentionDays.auditEvents, ...(await countExpiredAuditEvents(deps)) },
    { kind: 'exports', days: retentionDays.exports, ...(await countExpiredExports(deps)) },
    { kind: 'webhook_events', days: retentionDays.hookEvents, ...(await countOldEvents(deps)) },
    { kind: 'unreferenced_uploads', days: unreferencedUploadDays, ...(await countUnreferencedUploads(deps)) },
  ]
}

async function countIdleRefs(deps: RootDeps): Promise<ExpiredRows> {
  let total = 0
  let oldest: string | null = null
  for await (const { lastReportAt } of idleRefs(deps)) {
    total += 1
    if (oldest === null || lastReportAt < oldest) oldest = lastReportAt
  }
  return expiredRows(total, oldest)
}
