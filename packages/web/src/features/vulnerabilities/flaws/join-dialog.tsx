import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { texts as listTexts } from '../texts.ts'
import { texts } from './texts.ts'
import { type Flaw, type FlawPlace, useRegrouping } from './use-regrouping.ts'

/** Dialog that confirms the join of two rows of the grouped list. */
export function JoinDialog({
  place,
  flaws: [kept, other],
  onDone,
  onClose,
}: {
  place: FlawPlace
  flaws: readonly [Flaw, Flaw]
  onDone: () => void
  onClose: () => void
}) {
  const { join } = useRegrouping(place, () => {
    onDone()
    onClose()
  })
  return (
    <Dialog isOpen onClose={onClose} title={texts.join2Rows} lead={texts.allVulnerabilitiesOfBoth(place.kind)}>
      <div className="stack">
        <ul>
          {[kept, other].map(({ id, title, identifiers, package: of }) => (
            <li key={id}>
              {title}
              <div className="muted small">{[identifiers[0], of].filter(Boolean).join(' · ')}</div>
            </li>
          ))}
        </ul>
        {join.error && <p role="alert">{join.error.message}</p>}
        <DialogActions>
          <Button onClick={onClose}>{listTexts.cancel}</Button>
          <Button
            kind="primary"
            isBusy={join.isPending}
            onClick={() => join.mutate({ path: { id: place.id, flaw_id: kept.id }, body: { other_flaw_id: other.id } })}
          >
            {listTexts.join}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
