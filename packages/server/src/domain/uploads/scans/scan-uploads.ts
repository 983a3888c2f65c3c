import { Failure } from '../../../platform/failure.ts'
import { type ScanVerdict, scanBytes } from '../../../platform/outgoing/clamd.ts'
import { type Deps, type RootDeps, transaction } from '../../deps.ts'
import { openIntact } from '../../files/intact.ts'
import { type AnyJobKind, enqueue, jobKind } from '../../jobs/job.ts'
import { recordUploadAudit } from '../audited-upload.ts'
import type { Upload } from '../upload.ts'
import { findUpload } from '../upload-queries.ts'
import type { UploadScan } from './upload-scan.ts'
import { findScannedFile, listUnscanned, type ScannedFile, updateScan } from './upload-scan-queries.ts'

const scanKind = 'upload-scan'
const scanAllKind = 'upload-scan-all'
const batchSize = 100

/** Returns the state of a new upload. */
export function newScan({ settings }: Deps): UploadScan {
  return { state: settings.clamd ? 'pending' : 'not_scanned', signature: null, at: null }
}

/** Queues the scan of a new upload, in the transaction that inserts it. */
export async function queueScan(deps: Deps, { id, owner, scan }: Upload): Promise<void> {
  if (scan.state !== 'pending') return
  await enqueue(deps, { kind: scanKind, owner: `${owner.kind}:${owner.id}`, payload: { upload_id: id } })
}

/** Queues a scan of all uploads that have not been scanned. Returns the id of the job. */
export function queueScanOfAll(deps: Deps): Promise<number> {
  return enqueue(deps, { kind: scanAllKind, key: scanAllKind, payload: {} })
}

/** Scans an upload. While clamd is not available, the job waits and the upload remains pending. */
export const scanJob: AnyJobKind = jobKind<{ upload_id: number }>({
  kind: scanKind,
  concurrency: 2,
  perOwner: 2,
  maxAttempts: 10,
  async run(deps, { payload, signal }) {
    const file = await findScannedFile(deps.db, payload.upload_id)
    if (file?.state === 'pending') await scanFile(deps, file, signal)
    return undefined
  },
})

/** Scans the uploads without a scan, one at a time. Their state changes only when there is a result. */
export const scanAllJob: AnyJobKind = jobKind<Record<string, never>>({
  kind: scanAllKind,
  concurrency: 1,
  maxAttempts: 10,
  coalesces: true,
  async run(deps, { signal }) {
    let last = 0
    for (let read = batchSize; read === batchSize && deps.settings.clamd; ) {
      const files = await listUnscanned(deps.db, last, batchSize)
      for (const file of files) {
        signal.throwIfAborted()
        await scanOldFile(deps, file, signal)
        last = file.id
      }
      read = files.length
    }
    return undefined
  },
})

/** Scans an older file. One that is missing or damaged does not prevent the scan of those after it. */
async function scanOldFile(deps: RootDeps, file: ScannedFile, signal: AbortSignal): Promise<void> {
  try {
    await scanFile(deps, file, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Failure) throw error
    deps.log.error({ err: error, upload: file.id }, 'an upload could not be read for its virus scan')
  }
}

async function scanFile(deps: RootDeps, file: ScannedFile, signal: AbortSignal): Promise<void> {
  const { clamd } = deps.settings
  // Without the setting, files that wait are not scanned.
  if (!clamd) return storeVerdict(deps, file, { state: 'not_scanned', reason: 'no scanner is configured' })
  const verdict = await scanBytes(clamd.address, readFile(deps, file), { signal }).catch((error: unknown) => {
    if (!signal.aborted) deps.metrics.countVirusScan('failed')
    throw error
  })
  await storeVerdict(deps, file, verdict)
  deps.metrics.countVirusScan(verdict.state)
}

/** Reads a stored file, compared with its recorded hash. */
async function* readFile(deps: RootDeps, { objectKey: key, bytes, sha256 }: ScannedFile): AsyncGenerator<Buffer, void> {
  const opened = await openIntact(deps, { key, bytes, sha256 })
  if (!opened) throw new Error('the file of an upload is missing')
  if (Buffer.isBuffer(opened)) return yield opened
  try {
    let left = bytes
    while (left > 0) {
      const piece = await opened.next(left + 1)
      if (!piece) throw new Error('a stored file is shorter than its record says')
      left -= piece.length
      yield piece
    }
  } finally {
    opened.close()
  }
}

function storeVerdict(deps: Deps, file: ScannedFile, verdict: ScanVerdict): Promise<void> {
  const signature = verdict.state === 'infected' ? verdict.signature : null
  if (verdict.state === 'not_scanned')
    deps.log.warn({ upload: file.id, reason: verdict.reason }, 'an upload was not scanned')
  return transaction(deps, async (deps) => {
    const at = verdict.state === 'not_scanned' ? null : deps.now()
    const isStored = await updateScan(deps.db, file.id, { state: verdict.state, signature, at })
    if (!isStored || verdict.state !== 'infected') return
    const upload = await findUpload(deps.db, file.owner, file.id)
    if (upload) await recordUploadAudit(deps, 'upload_quarantined', upload, { signature: verdict.signature })
  })
}
