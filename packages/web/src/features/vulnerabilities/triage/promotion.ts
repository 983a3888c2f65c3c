import type { Request, Schemas } from '@alcove/client'
import { useCallback, useRef, useState } from 'react'
import { counted } from '../../../components/format.ts'
import { api, queries } from '../../../data/api.ts'
import { createKeyring } from '../../../data/idempotency-keys.ts'
import { useToast } from '../../../data/toasts.ts'
import type { FindingFilter } from '../../../nouns/vulnerability/filter.ts'
import type { FindingRow } from '../findings-of.ts'

/** Some findings, or every one that waits and that a filter lets through. */
export type Promotion = { rows: readonly FindingRow[] } | { filter: FindingFilter; count: number | undefined }

/** Of many, how far it is. */
export type PromotionProgress = Schemas['FindingPromotion']

/**
 * Makes vulnerabilities of findings, of all of them or of none; false when the server refused. Of many it takes a while,
 * and goes on when nobody looks any more.
 */
export function usePromotion(projectId: number) {
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [progress, setProgress] = useState<PromotionProgress>()
  const keyring = useRef(createKeyring())
  const promote = useCallback(
    async (promotion: Promotion) => {
      setBusy(true)
      let begun: PromotionProgress | undefined
      try {
        const request = requestOf(projectId, promotion)
        begun = await keyring.current.use(JSON.stringify(request), (idempotencyKey) =>
          api.call(bulkPath, request, { idempotencyKey }),
        )
        const ended = await followToItsEnd(projectId, begun, setProgress)
        const text = `Promoted: ${counted(ended.promoted, 'finding')}.`
        if (ended.status === 'done') toast({ text })
        else toast({ text: `${text} The others could not be, and wait.`, kind: 'error' })
        return true
      } catch (error) {
        const what = begun ? 'How far the promotion is cannot be told' : 'Nothing was promoted'
        toast({ text: `${what}: ${(error as Error).message}`, kind: 'error' })
        return begun !== undefined
      } finally {
        setBusy(false)
        setProgress(undefined)
        void queries.invalidateQueries()
      }
    },
    [projectId, toast],
  )
  return { promote, isBusy, progress }
}

const bulkPath = 'POST /projects/{id}/vulnerability_findings/bulk'

function requestOf(projectId: number, promotion: Promotion): Request<typeof bulkPath> {
  const chosen =
    'rows' in promotion
      ? { finding_ids: promotion.rows.map(({ id }) => id) }
      : { filter: { ...promotion.filter }, expected_count: promotion.count }
  return { path: { id: projectId }, body: { action: 'promote', async: true, ...chosen } }
}

const askAgainMs = 500

async function followToItsEnd(
  projectId: number,
  begun: PromotionProgress,
  tell: (progress: PromotionProgress) => void,
): Promise<PromotionProgress> {
  let last = begun
  while (last.status === 'running' && last.id !== null) {
    tell(last)
    await new Promise((resolve) => setTimeout(resolve, askAgainMs))
    last = await api.call('GET /projects/{id}/vulnerability_findings/bulk/{promotion_id}', {
      path: { id: projectId, promotion_id: last.id },
    })
  }
  return last
}
