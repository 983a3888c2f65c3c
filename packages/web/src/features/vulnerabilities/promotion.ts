import { useCallback, useState } from 'react'
import { api, queries } from '../../app/api.ts'
import { counted } from '../../components/format.ts'
import { useToast } from '../../components/toast.tsx'
import type { FindingFilter } from './filter.ts'
import type { FindingRow } from './findings-of.ts'

/** Some findings, or every one that waits and that a filter lets through. */
export type Promotion = { rows: readonly FindingRow[] } | { filter: FindingFilter; count: number | undefined }

/** Makes vulnerabilities of findings, of all of them or of none; false when the server refused. */
export function usePromotion(projectId: number) {
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const promote = useCallback(
    async (promotion: Promotion) => {
      setBusy(true)
      try {
        const { promoted } = await api.call('POST /projects/{id}/vulnerability_findings/bulk', {
          path: { id: projectId },
          body: {
            action: 'promote',
            ...('rows' in promotion
              ? { finding_ids: promotion.rows.map(({ id }) => id) }
              : { filter: { ...promotion.filter }, expected_count: promotion.count }),
          },
        })
        toast({ text: `Promoted: ${counted(promoted, 'finding')}.` })
        return true
      } catch (error) {
        toast({ text: `Nothing was promoted: ${(error as Error).message}`, kind: 'error' })
        return false
      } finally {
        setBusy(false)
        void queries.invalidateQueries()
      }
    },
    [projectId, toast],
  )
  return { promote, isBusy }
}
