import { type ReactNode, useState } from 'react'
import type { VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import { PromotionDialog } from '../triage/lazy-dialogs.ts'
import { type Promotion, usePromotion } from '../triage/promotion.ts'
import type { Target } from '../triage/triage-change.ts'

/** Returns the function that accepts findings as vulnerabilities without a decision, and its dialog for several. */
export function useAcceptance(
  onDone: () => void,
  /** Called for a single finding, before the response. */
  onSent: (row: VulnerabilityRow) => void,
): {
  accept: (target: Target | undefined) => void
  dialog: ReactNode
} {
  const [asked, setAsked] = useState<{ projectId: number; promotion: Promotion }>()
  const { promote, isBusy, progress } = usePromotion()
  return {
    accept(target) {
      if (target?.owner.kind !== 'project') return
      const projectId = target.owner.id
      const [only] = 'rows' in target && target.rows.length === 1 ? target.rows : []
      if (!only) return setAsked({ projectId, promotion: target })
      void promote(projectId, { rows: [only] })
      onSent(only)
    },
    dialog: asked && (
      <PromotionDialog
        promotion={asked.promotion}
        progress={progress}
        isBusy={isBusy}
        onClose={() => setAsked(undefined)}
        onConfirm={() =>
          void promote(asked.projectId, asked.promotion).then((isDone) => {
            setAsked(undefined)
            if (isDone) onDone()
          })
        }
      />
    ),
  }
}
