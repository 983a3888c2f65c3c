import { RequestFailed, type Schemas } from '@alcove/client'
import { GitMerge, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { counted, formatCount } from '../../../components/format.ts'
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
      title="Merges"
      crumbs={[{ label: 'Topics', to: '/-/admin/topics' }]}
      lead={`Merged topics, newest first. You can undo a merge for ${counted(session.topic_undo_days, 'day')}.`}
      actions={<OrganizationField />}
    >
      <PagedTable
        label="Merges"
        query={query}
        perPage={perPage}
        empty={{
          icon: GitMerge,
          title: 'No merges yet',
          text: <p>Merge topics on a topic’s page or under Duplicates.</p>,
        }}
        columns={[
          [
            'Topic',
            ({ source_topic: topic }) => (
              <>
                <strong>{topic.title}</strong>
                <p className="muted small mono">{topic.name}</p>
              </>
            ),
          ],
          [
            'Into',
            ({ target_topic: topic, keep_alias: keepsAlias }) => (
              <>
                <Link to={`/-/admin/topics/${topic.id}`} className={styles.strong}>
                  {topic.name}
                </Link>
                {!keepsAlias && <p className="muted small">No alias kept</p>}
              </>
            ),
          ],
          [
            'Projects',
            ({ moved_projects_count: moved, shared_projects_count: shared }) => (
              <>
                {formatCount(moved)} moved
                {shared > 0 && <p className="muted small">{formatCount(shared)} had both topics</p>}
              </>
            ),
            'numbers',
          ],
          [
            'Merged',
            (merge) => (
              <>
                <span className={styles.nowrap}>
                  <Time of={merge.merged_at} />
                </span>
                <p className="muted small">by {merge.merged_by?.name ?? 'Deleted user'}</p>
              </>
            ),
          ],
          ['Undo', (merge) => <UndoCell merge={merge} mayUndo={mayWrite(session)} onUndo={() => setUndoing(merge)} />],
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
        <Badge tone="info">Undone</Badge>
        <p className="muted small">
          <Time of={merge.undone_at} /> by {merge.undone_by?.name ?? 'Deleted user'}
        </p>
      </>
    )
  }
  if (!merge.undoable_until) return <span className="muted">Undo period expired</span>
  return (
    <>
      {mayUndo && (
        <Button size="small" icon={Undo2} onClick={onUndo}>
          Undo<span className="visually-hidden"> the merge of {merge.source_topic.name}</span>
        </Button>
      )}
      <p className={`muted small ${styles.nowrap}`}>
        until <Time of={merge.undoable_until} />
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
      const rest = leftOut.length > 0 ? ` ${counted(leftOut.length, 'item')} changed since and left as is.` : ''
      toast({ text: `${title} restored.${rest}` })
      onClose()
    },
  })
  const { title } = merge.source_topic
  const reasons = undo.error instanceof RequestFailed ? undo.error.reasons : []
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Undo merge of ${title}?`}
      lead={`Restores ${title} with its ID, avatar, aliases and projects.`}
    >
      {undo.error && (
        <div role="alert" className="stack-tight">
          <p>{reasons.length > 0 ? 'These changes conflict:' : undo.error.message}</p>
          {reasons.length > 0 && (
            <ul className={styles.reasons}>
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          )}
          {reasons.length > 0 && (
            <p className="muted small">
              You can undo the remaining changes, unless another topic now has the same name.
            </p>
          )}
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        {reasons.length > 0 ? (
          <Button
            kind="primary"
            isBusy={undo.isPending}
            onClick={() => undo.mutate({ path: { id: merge.id }, body: { partial: true } })}
          >
            Undo remaining changes
          </Button>
        ) : (
          <Button
            kind="primary"
            isBusy={undo.isPending}
            onClick={() => undo.mutate({ path: { id: merge.id }, body: {} })}
          >
            {' '}
            Undo merge{' '}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
