import { Button } from '../../../components/button.tsx'
import { counted } from '../../../components/format.ts'
import { ConfirmDialog, Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { ProgressBar } from '../../../components/progress-bar.tsx'
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
        title={`Accept ${sizeOf(promotion)}?`}
        lead="Creates one vulnerability per finding, for all or none. This cannot be undone, but vulnerabilities can be dismissed."
        confirm="Accept"
        isDangerous={false}
        isBusy={isBusy}
        onConfirm={onConfirm}
      />
    )
  }
  const { promoted, unchanged, total } = progress
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Accepting ${counted(total, 'finding')}`}
      lead="You can close this dialog. The process continues in the background."
    >
      <div className="stack" aria-live="polite">
        <ProgressBar label="Creating vulnerabilities" value={promoted + unchanged} max={total} />
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

function sizeOf(promotion: Promotion): string {
  const count = 'rows' in promotion ? promotion.rows.length : promotion.count
  return count === undefined ? 'all matching findings' : counted(count, 'finding')
}
