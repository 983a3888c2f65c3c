import { type RootDeps, transaction } from '../../deps.ts'
import { findLastId, listWithoutPackage, setPackages } from '../../findings/findings.ts'
import type { ReportType } from '../../findings/scales.ts'
import { jobKind, type RunningJob } from '../../jobs/job.ts'
import { updateFlawsOfFindings } from '../../vulnerabilities/flaws/flaw-keys.ts'
import { packageOfStored } from '../formats/finding-package.ts'

/** Computes the packages of findings that were imported before packages were stored. A migration queues this job. */
export const packageJob = jobKind<object>({ kind: 'package-urls', concurrency: 1, maxAttempts: 10, run })

const types: readonly ReportType[] = [
  'dependency_scanning',
  'container_scanning',
  'container_scanning_for_registry',
  'cluster_image_scanning',
]

const batchSize = 250

async function run(deps: RootDeps, { signal, progress }: RunningJob<object>): Promise<undefined> {
  const last = await findLastId(deps.db)
  for (let above = 0; above < last; above += batchSize) {
    signal.throwIfAborted()
    const batch = await listWithoutPackage(deps.db, { above, upTo: above + batchSize, types })
    const packages = batch.flatMap((finding) => {
      const computed = packageOfStored(finding)
      return computed ? [{ id: finding.id, ...computed }] : []
    })
    if (packages.length > 0) {
      const ids = packages.map(({ id }) => id)
      await transaction(deps, async (deps) => {
        await setPackages(deps.db, packages)
        await updateFlawsOfFindings(deps, ids)
      })
    }
    await progress(Math.min(above + batchSize, last), last)
  }
}
