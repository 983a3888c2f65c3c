import { Button } from '../../../components/button.tsx'
import { ConfirmDialog, Dialog, DialogActions } from '../../../components/dialog.tsx'
import { counted } from '../../../components/format.ts'
import { ProgressBar } from '../../../components/progress-bar.tsx'
import type { Promotion, PromotionProgress } from './promotion.ts'

/** Asks whether it shall be; then, when it takes long, tells how far it is. */
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
        title={`Promote ${sizeOf(promotion)}?`}
        lead="Each becomes a vulnerability, all of them or none. A vulnerability stays; it can be dismissed, but not made a finding again."
        confirm="Promote"
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
      title={`Promoting ${counted(total, 'finding')}`}
      lead="It goes on when this is closed."
    >
      <div className="stack" aria-live="polite">
        <ProgressBar label="Promoting" value={promoted + unchanged} max={total} />
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

function sizeOf(promotion: Promotion): string {
  const count = 'rows' in promotion ? promotion.rows.length : promotion.count
  return count === undefined ? 'every finding that matches' : counted(count, 'finding')
}
