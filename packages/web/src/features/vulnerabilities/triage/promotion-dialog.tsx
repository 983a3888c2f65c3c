import { Button } from '../../../components/button.tsx'
import { ConfirmDialog, Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { ProgressBar } from '../../../components/progress-bar.tsx'
import { texts } from '../texts.ts'
import type { Promotion, PromotionProgress } from './promotion.ts'

/** Dialog that confirms a promotion and then shows the progress of a long one. */
export function PromotionDialog({
  promotion,
  progress,
  isBusy,
  onConfirm,
  onClose,
}: {
  promotion: Promotion
  progress: PromotionProgress | undefined
  isBusy: boolean
  onConfirm: () => void
  onClose: () => void
}) {
  if (!progress) {
    return (
      <ConfirmDialog
        isOpen
        onClose={onClose}
        title={texts.acceptPromotion(sizeOf(promotion))}
        lead={texts.createsOneVulnerabilityPer}
        confirm={texts.accept}
        isDangerous={false}
        isBusy={isBusy}
        onConfirm={onConfirm}
      />
    )
  }
  const { promoted, unchanged, total } = progress
  return (
    <Dialog isOpen onClose={onClose} title={texts.acceptingFinding(total)} lead={texts.youCanCloseThisDialog}>
      <div className="stack" aria-live="polite">
        <ProgressBar label={texts.creatingVulnerabilities} value={promoted + unchanged} max={total} />
        <DialogActions>
          <Button onClick={onClose}>{texts.close}</Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

function sizeOf(promotion: Promotion): string {
  const count = 'rows' in promotion ? promotion.rows.length : promotion.count
  return count === undefined ? texts.allMatchingFindings : texts.finding(count)
}
