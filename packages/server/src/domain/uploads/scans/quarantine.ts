import { notFound, reasonOf } from '../../../platform/failure.ts'
import { pingClamd } from '../../../platform/outgoing/clamd.ts'
import { type Deps, transaction } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import { recordUploadAudit } from '../audited-upload.ts'
import type { Upload } from '../upload.ts'
import { findUpload } from '../upload-queries.ts'
import {
  countInfected,
  countPending,
  findScannedFile,
  type InfectedUpload,
  listInfected,
  releaseInfected,
} from './upload-scan-queries.ts'

export type { InfectedUpload } from './upload-scan-queries.ts'

/** Returns the quarantined uploads of all projects and groups. */
export async function findQuarantined({ db }: Deps, page: PageRequest): Promise<Page<InfectedUpload>> {
  const [rows, counted] = await Promise.all([listInfected(db, page), countInfected(db)])
  return pageOf(page, rows, counted)
}

/** Ends the quarantine of a false positive. */
export function releaseUpload(deps: Deps, id: number): Promise<Upload> {
  return transaction(deps, async (deps) => {
    const file = await findScannedFile(deps.db, id)
    if (!file || !(await releaseInfected(deps.db, id))) throw notFound()
    const upload = await findUpload(deps.db, file.owner, id)
    if (!upload) throw notFound()
    await recordUploadAudit(deps, 'upload_released', upload, { signature: upload.scan.signature })
    return upload
  })
}

export interface ScannerState {
  isConfigured: boolean
  holdsPending: boolean
  /** Null without a scanner. */
  isReachable: boolean | null
  /** Why the scanner is not reachable. */
  error: string | null
  pending: number
  quarantined: number
}

/** Returns how many files wait for their scan, and how many are quarantined. */
export async function countScans({ db }: Deps): Promise<{ pending: number; quarantined: number }> {
  const [pending, quarantined] = await Promise.all([countPending(db), countInfected(db)])
  return { pending, quarantined }
}

/** Returns whether clamd answers, and how many files wait for it. */
export async function measureScanner(deps: Deps): Promise<ScannerState> {
  const { clamd } = deps.settings
  const { pending, quarantined } = await countScans(deps)
  const state = { isConfigured: clamd !== undefined, holdsPending: clamd?.holdsPending ?? false, pending, quarantined }
  if (!clamd) return { ...state, isReachable: null, error: null }
  try {
    await pingClamd(clamd.address)
    return { ...state, isReachable: true, error: null }
  } catch (error) {
    return { ...state, isReachable: false, error: reasonOf(error) }
  }
}
