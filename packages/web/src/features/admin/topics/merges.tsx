import { RequestFailed, type Schemas } from '@alcove/client'
import { GitMerge, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { counted, formatCount } from '../../../components/format.ts'
import { Page } from '../../../components/page.tsx'
import { Pager, usePageNumber } from '../../../components/pager.tsx'
import { Answered, Empty } from '../../../components/states.tsx'
import { Table } from '../../../components/table.tsx'
import { Time } from '../../../components/time.tsx'
import { useAction, usePage } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import { useToast } from '../../../data/toasts.ts'
import styles from '../admin.module.css'
import { OrganizationField, useOrganization } from './organization-field.tsx'

type Merge = Schemas['TopicMerge']
const perPage = 50

/** The journal of merges, each to be undone while that is possible. */
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
      lead={`What was merged, newest first. A merge can be undone for ${counted(session.topic_undo_days, 'day')}.`}
      actions={<OrganizationField />}
    >
      <Answered query={query}>
        {(page) =>
          page.rows.length === 0 ? (
            <Empty icon={GitMerge} title="Nothing was merged yet">
              <p>Merges are made on a topic’s page, or from the list of duplicates.</p>
            </Empty>
          ) : (
            <div className="stack">
              <Table label="Merges" head={['Topic', 'Into', 'Projects', 'Merged', 'Undo']}>
                {page.rows.map((merge) => (
                  <tr key={merge.id}>
                    <td>
                      <strong>{merge.source_topic.title}</strong>
                      <p className="muted small mono">{merge.source_topic.name}</p>
                    </td>
                    <td>
                      <Link to={`/-/admin/topics/${merge.target_topic.id}`} className={styles.strong}>
                        {merge.target_topic.name}
                      </Link>
                      {!merge.keep_alias && <p className="muted small">The old name was dropped</p>}
                    </td>
                    <td className="numbers">
                      {formatCount(merge.moved_projects_count)} moved
                      {merge.shared_projects_count > 0 && (
                        <p className="muted small">{formatCount(merge.shared_projects_count)} had both</p>
                      )}
                    </td>
                    <td>
                      <span className={styles.nowrap}>
                        <Time of={merge.merged_at} />
                      </span>
                      <p className="muted small">by {merge.merged_by?.name ?? 'somebody who is gone'}</p>
                    </td>
                    <td>
                      <UndoCell merge={merge} mayUndo={mayWrite(session)} onUndo={() => setUndoing(merge)} />
                    </td>
                  </tr>
                ))}
              </Table>
              <Pager page={page} perPage={perPage} />
            </div>
          )
        }
      </Answered>
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
          <Time of={merge.undone_at} /> by {merge.undone_by?.name ?? 'somebody who is gone'}
        </p>
      </>
    )
  }
  if (!merge.undoable_until) return <span className="muted">Too old</span>
  return (
    <>
      {mayUndo && (
        <Button size="small" icon={Undo2} onClick={onUndo}>
          Undo<span className="visually-hidden"> the merge of {merge.source_topic.name}</span>
        </Button>
      )}
      <p className={`muted small ${styles.nowrap}`}>
        ends <Time of={merge.undoable_until} />
      </p>
    </>
  )
}

/** Asks first; where something is in the way says what, and offers what can be done all the same. */
function UndoDialog({ merge, onClose }: { merge: Merge; onClose: () => void }) {
  const toast = useToast()
  const undo = useAction('POST /topics/merges/{id}/undo', {
    showsErrors: true,
    onDone: ({ title, left_out: leftOut }) => {
      const rest =
        leftOut.length > 0 ? ` ${counted(leftOut.length, 'thing')} had changed since and stayed as it is.` : ''
      toast({ text: `${title} is back.${rest}` })
      onClose()
    },
  })
  const { title } = merge.source_topic
  const reasons = undo.error instanceof RequestFailed ? undo.error.reasons : []
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Undo the merge of ${title}?`}
      lead={`${title} comes back with its id, its picture, its other names and its projects.`}
    >
      {undo.error && (
        <div role="alert" className="stack-tight">
          <p>{reasons.length > 0 ? 'Something has changed since, and is in the way:' : undo.error.message}</p>
          {reasons.length > 0 && (
            <ul className={styles.reasons}>
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          )}
          {reasons.length > 0 && (
            <p className="muted small">
              You can undo the rest and leave these as they are, unless another topic has the name by now.
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
            Undo what can be undone
          </Button>
        ) : (
          <Button
            kind="primary"
            isBusy={undo.isPending}
            onClick={() => undo.mutate({ path: { id: merge.id }, body: {} })}
          >
            Undo the merge
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
