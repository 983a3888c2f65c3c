import { RequestFailed, type Schemas } from '@alcove/client'
import { GitMerge, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { fill } from '../../../components/fill.tsx'
import { formatCount } from '../../../components/format.ts'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { Page } from '../../../components/page/page.tsx'
import { PagedTable } from '../../../components/page/paged-table.tsx'
import { usePageNumber } from '../../../components/page/pager.tsx'
import { Time } from '../../../components/time.tsx'
import { useAction, usePage } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import { useToast } from '../../../data/toasts.ts'
import styles from '../admin.module.css'
import { OrganizationField, useOrganization } from './organization-field.tsx'
import { texts } from './texts.ts'

type Merge = Schemas['TopicMerge']
const perPage = 50

/** List of merges, which can be undone for a limited time. */
export function Merges() {
  const session = useSession()
  const [undoing, setUndoing] = useState<Merge>()
  const query = usePage('GET /topics/merges', {
    query: { organization_id: useOrganization(), page: usePageNumber(), per_page: perPage },
  })
  return (
    <Page
      title={texts.merges}
      crumbs={[{ label: texts.topics, to: '/-/admin/topics' }]}
      lead={texts.mergedTopicsNewestFirst(session.topic_undo_days)}
      actions={<OrganizationField />}
    >
      <PagedTable
        label={texts.merges}
        query={query}
        perPage={perPage}
        empty={{
          icon: GitMerge,
          title: texts.noMergesYet,
          text: <p>{texts.mergeTopicsOnATopics}</p>,
        }}
        columns={[
          [
            texts.topic,
            ({ source_topic: topic }) => (
              <>
                <strong>{topic.title}</strong>
                <p className="muted small mono">{topic.name}</p>
              </>
            ),
          ],
          [
            texts.into,
            ({ target_topic: topic, keep_alias: keepsAlias }) => (
              <>
                <Link to={`/-/admin/topics/${topic.id}`} className={styles.strong}>
                  {topic.name}
                </Link>
                {!keepsAlias && <p className="muted small">{texts.noAliasKept}</p>}
              </>
            ),
          ],
          [
            texts.projects,
            ({ moved_projects_count: moved, shared_projects_count: shared }) => (
              <>
                {texts.moved(formatCount(moved))}
                {shared > 0 && <p className="muted small">{texts.hadBothTopics(formatCount(shared))}</p>}
              </>
            ),
            'numbers',
          ],
          [
            texts.merged,
            (merge) => (
              <>
                <span className={styles.nowrap}>
                  <Time of={merge.merged_at} />
                </span>
                <p className="muted small">{texts.byName(merge.merged_by?.name ?? texts.deletedUser)}</p>
              </>
            ),
          ],
          [
            texts.undo,
            (merge) => <UndoCell merge={merge} mayUndo={mayWrite(session)} onUndo={() => setUndoing(merge)} />,
          ],
        ]}
      />
      {undoing && <UndoDialog merge={undoing} onClose={() => setUndoing(undefined)} />}
    </Page>
  )
}

function UndoCell({ merge, mayUndo, onUndo }: { merge: Merge; mayUndo: boolean; onUndo: () => void }) {
  if (merge.undone_at) {
    return (
      <>
        <Badge tone="info">{texts.undone}</Badge>
        <p className="muted small">
          {fill(texts.by2, { time: <Time of={merge.undone_at} />, name: merge.undone_by?.name ?? texts.deletedUser })}
        </p>
      </>
    )
  }
  if (!merge.undoable_until) return <span className="muted">{texts.undoPeriodExpired}</span>
  return (
    <>
      {mayUndo && (
        <Button size="small" icon={Undo2} onClick={onUndo}>
          {texts.undo}
          <span className="visually-hidden"> {texts.theMergeOf(merge.source_topic.name)}</span>
        </Button>
      )}
      <p className={`muted small ${styles.nowrap}`}>
        {fill(texts.until, { time: <Time of={merge.undoable_until} /> })}
      </p>
    </>
  )
}

/** Dialog that confirms an undo. Lists conflicting changes and offers to undo the remaining ones. */
function UndoDialog({ merge, onClose }: { merge: Merge; onClose: () => void }) {
  const toast = useToast()
  const undo = useAction('POST /topics/merges/{id}/undo', {
    showsErrors: true,
    onDone: ({ title, left_out: leftOut }) => {
      const rest = leftOut.length > 0 ? texts.itemChangedSinceAndLeft(leftOut.length) : ''
      toast({ text: texts.restored(title, rest) })
      onClose()
    },
  })
  const { title } = merge.source_topic
  const reasons = undo.error instanceof RequestFailed ? undo.error.reasons : []
  return (
    <Dialog isOpen onClose={onClose} title={texts.undoMergeOf(title)} lead={texts.restoresWithItsId(title)}>
      {undo.error && (
        <div role="alert" className="stack-tight">
          <p>{reasons.length > 0 ? texts.theseChangesConflict : undo.error.message}</p>
          {reasons.length > 0 && (
            <ul className={styles.reasons}>
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          )}
          {reasons.length > 0 && <p className="muted small">{texts.youCanUndoTheRemaining}</p>}
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>{texts.cancel}</Button>
        {reasons.length > 0 ? (
          <Button
            kind="primary"
            isBusy={undo.isPending}
            onClick={() => undo.mutate({ path: { id: merge.id }, body: { partial: true } })}
          >
            {texts.undoRemainingChanges}
          </Button>
        ) : (
          <Button
            kind="primary"
            isBusy={undo.isPending}
            onClick={() => undo.mutate({ path: { id: merge.id }, body: {} })}
          >
            {' '}
            {texts.undoMerge}{' '}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
