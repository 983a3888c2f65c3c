import { Button } from '../../../../components/button.tsx'
import { ConfirmDialog, Dialog, DialogActions } from '../../../../components/overlay/dialog.tsx'
import { ProgressBar } from '../../../../components/progress-bar.tsx'
import { texts as listTexts } from '../../texts.ts'
import type { Promotion, PromotionProgress } from '../promotion.ts'
import { texts } from './texts.ts'

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
        confirm={listTexts.accept}
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
          <Button onClick={onClose}>{listTexts.close}</Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

function sizeOf(promotion: Promotion): string {
  const count = 'rows' in promotion ? promotion.rows.length : promotion.count
  return count === undefined ? texts.allMatchingFindings : listTexts.finding(count)
}
