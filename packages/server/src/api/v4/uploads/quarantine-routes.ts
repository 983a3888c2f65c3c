import Type from 'typebox'
import {
  findQuarantined,
  type InfectedUpload,
  measureScanner,
  releaseUpload,
} from '../../../domain/uploads/scans/quarantine.ts'
import { queueScanOfAll } from '../../../domain/uploads/scans/scan-uploads.ts'
import { integer } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { refused } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { nullableString, timestamp } from '../views.ts'
import { uploadListItem, viewListItem } from './routes.ts'

const scannerView = Type.Object(
  {
    configured: Type.Boolean({ description: 'Whether `ALCOVE_CLAMD` is set' }),
    hold: Type.Boolean({ description: 'Whether files that wait for their scan cannot be downloaded' }),
    reachable: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'Null without a scanner' }),
    error: { ...nullableString, description: 'Why the scanner is not reachable' },
    pending: Type.Integer({ description: 'Number of uploads that wait for their scan' }),
    quarantined: Type.Integer(),
  },
  { title: 'VirusScan' },
)

const quarantinedView = Type.Object(
  {
    id: Type.Integer(),
    owner: Type.Object({
      kind: Type.Unsafe<string>({ type: 'string', enum: ['project', 'group'] }),
      id: Type.Integer(),
      full_path: Type.String(),
    }),
    filename: Type.String(),
    size: Type.Integer(),
    sha256: Type.String(),
    created_at: timestamp,
    uploaded_by: Type.Unsafe<{ id: number; username: string; name: string } | null>({
      type: ['object', 'null'],
      properties: { id: { type: 'integer' }, username: { type: 'string' }, name: { type: 'string' } },
    }),
    scan_signature: Type.String({ description: 'Name of what the virus scan found' }),
    scanned_at: timestamp,
  },
  { title: 'QuarantinedUpload' },
)

function viewQuarantined(upload: InfectedUpload) {
  const { id, owner, filename, bytes, sha256, createdAt, uploadedBy, signature, scannedAt } = upload
  return {
    id,
    owner: { kind: owner.kind, id: owner.id, full_path: owner.fullPath },
    filename,
    size: bytes,
    sha256,
    created_at: createdAt,
    uploaded_by: uploadedBy,
    scan_signature: signature,
    scanned_at: scannedAt,
  }
}

/** The virus scanner and what it found, for administrators. */
export const quarantineRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/admin/virus_scan',
    summary: 'Get whether the virus scanner is reachable, and how many uploads wait for it or are quarantined',
    permission: 'virus-scan.read',
    status: 200,
    output: scannerView,
    async handle({ deps }) {
      const { isConfigured, holdsPending, isReachable, error, pending, quarantined } = await measureScanner(deps)
      return { configured: isConfigured, hold: holdsPending, reachable: isReachable, error, pending, quarantined }
    },
  }),
  route({
    method: 'POST',
    path: '/admin/virus_scan',
    summary: 'Scan all uploads that have not been scanned, as a job',
    permission: 'virus-scan.manage',
    status: 202,
    output: Type.Object({ job_id: Type.Integer() }, { title: 'VirusScanJob' }),
    async handle({ deps }) {
      if (!deps.settings.clamd) throw refused('no virus scanner is configured (ALCOVE_CLAMD)')
      return { job_id: await queueScanOfAll(deps) }
    },
  }),
  route({
    method: 'GET',
    path: '/admin/quarantine',
    summary: 'List quarantined uploads of all projects and groups, newest first',
    permission: 'virus-scan.read',
    status: 200,
    output: Type.Array(quarantinedView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, page }) {
      const found = await findQuarantined(deps, page)
      return { ...found, rows: found.rows.map(viewQuarantined) }
    },
  }),
  route({
    method: 'POST',
    path: '/admin/quarantine/:upload_id/release',
    summary: 'Release a quarantined upload that is a false positive',
    permission: 'virus-scan.manage',
    input: Type.Object({ upload_id: integer() }),
    status: 201,
    output: uploadListItem,
    handle: async ({ deps, input }) => viewListItem(await releaseUpload(deps, input.upload_id), true),
  }),
]
