import type { Request, Schemas } from '@alcove/client'
import { useCallback, useRef, useState } from 'react'
import { api, queries } from '../../../data/api.ts'
import { createKeyring } from '../../../data/idempotency-keys.ts'
import { useToast } from '../../../data/toasts.ts'
import type { FindingFilter } from '../../../nouns/vulnerability/filters.ts'
import type { VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'

/** Findings to promote: selected ones, or all that await triage and match a filter. */
export type Promotion = { rows: readonly VulnerabilityRow[] } | { filter: FindingFilter; count: number | undefined }

/** Progress of a promotion. */
export type PromotionProgress = Schemas['FindingPromotion']

/**
 * Promotes findings to vulnerabilities, all or none. Returns false when the server rejects the request. A large
 * promotion
 * continues on the server when the page is closed.
 */
export function usePromotion() {
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [progress, setProgress] = useState<PromotionProgress>()
  const keyring = useRef(createKeyring())
  /** Requests whose rows the list may still show. */
  const running = useRef(new Set<string>())
  const promote = useCallback(
    async (projectId: number, promotion: Promotion) => {
      const request = requestOf(projectId, promotion)
      const name = JSON.stringify(request)
      // A second press of the key or button would be rejected, although the first one succeeds.
      if (running.current.has(name)) return false
      running.current.add(name)
      setBusy(true)
      let started: PromotionProgress | undefined
      try {
        started = await keyring.current.use(name, (idempotencyKey) => api.call(bulkPath, request, { idempotencyKey }))
        const result = await pollPromotion(projectId, started, setProgress)
        const text = texts.vulnerabilitiesCreated(result.promoted)
        if (result.status === 'done') toast({ text })
        else toast({ text: texts.theOtherFindingsFailed(text), kind: 'error' })
        return true
      } catch (error) {
        const what = started ? texts.theProgressCouldNotBeLoaded : texts.noVulnerabilitiesWereCreated
        toast({ text: `${what}: ${(error as Error).message}`, kind: 'error' })
        return started !== undefined
      } finally {
        setBusy(false)
        setProgress(undefined)
        void queries.invalidateQueries().finally(() => running.current.delete(name))
      }
    },
    [toast],
  )
  return { promote, isBusy, progress }
}

const bulkPath = 'POST /projects/{id}/vulnerability_finding_promotions'

function requestOf(projectId: number, promotion: Promotion): Request<typeof bulkPath> {
  const chosen =
    'rows' in promotion
      ? { finding_ids: promotion.rows.map(({ findingId }) => findingId) }
      : { filter: { ...promotion.filter }, expected_count: promotion.count }
  return { path: { id: projectId }, body: { action: 'promote', async: true, ...chosen } }
}

const pollMs = 500

/** Waits until a promotion is over. */
export async function pollPromotion(
  projectId: number,
  started: PromotionProgress,
  onProgress: (progress: PromotionProgress) => void,
): Promise<PromotionProgress> {
  let last = started
  while (last.status === 'running' && last.id !== null) {
    onProgress(last)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    last = await api.call('GET /projects/{id}/vulnerability_finding_promotions/{promotion_id}', {
      path: { id: projectId, promotion_id: last.id },
    })
  }
  return last
}
