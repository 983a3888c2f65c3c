import type { RowOf } from '@alcove/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { TextArea } from '../../components/form/field.tsx'
import { inWords } from '../../components/format.ts'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../data/api.ts'
import { useMayChange, useSession } from '../../data/session.ts'
import { DismissalEnd } from '../../nouns/vulnerability/dismissal-end.tsx'
import { texts } from './texts.ts'

/** A request for a dismissal, of a project or in the list of all. */
type DismissalRequest = RowOf<'GET /projects/{id}/dismissal_requests'>

export const requestStates = [
  { value: 'pending', label: texts.awaitingApproval },
  { value: 'approved', label: texts.approved },
  { value: 'rejected', label: texts.rejected },
  { value: 'withdrawn', label: texts.withdrawn },
  { value: 'expired', label: texts.expired },
] as const

/** Vulnerability, reason and comment of a request. */
export function Subject({ request, to, project }: { request: DismissalRequest; to: string; project?: string }) {
  return (
    <>
      <Link to={to}>{request.vulnerability.title}</Link>
      {project && <p className="muted small">{project}</p>}
      <p className="small row-wrap">
        <span>{request.dismissal_reason ? inWords(request.dismissal_reason) : texts.noReason}</span>
        <DismissalEnd until={request.until} isUntilFixed={request.until_fixed} />
      </p>
      {request.comment && <p className="muted small">{request.comment}</p>}
    </>
  )
}

export function Requested({ request }: { request: DismissalRequest }) {
  return (
    <>
      {request.requested_by?.name ?? texts.deletedUser}
      <p className="muted small">
        <Time of={request.created_at} />
        {request.state === 'pending' && fill(texts.expires, { time: <Time of={request.expires_at} /> })}
      </p>
    </>
  )
}

function Decided({ request }: { request: DismissalRequest }) {
  return (
    <>
      <Badge tone={request.state === 'approved' ? 'success' : 'neutral'}>{inWords(request.state)}</Badge>
      <p className="muted small">
        {request.decided_by?.name} {request.decided_at && <Time of={request.decided_at} />}
      </p>
      {request.decision_comment && <p className="muted small">{request.decision_comment}</p>}
    </>
  )
}

const decisions = {
  approve: { label: texts.approve, done: texts.dismissalApproved },
  reject: { label: texts.reject, done: texts.dismissalRejected },
  withdraw: { label: texts.withdraw, done: texts.requestWithdrawn },
} as const
type Decision = keyof typeof decisions

/** Decision of a request, or the buttons of those who may decide: the requester withdraws, others approve or reject. */
export function DecisionCell({ request, canDecide }: { request: DismissalRequest; canDecide: boolean }) {
  const session = useSession()
  const mayChange = useMayChange('triage')
  const [asked, setAsked] = useState<Decision>()
  if (request.state !== 'pending') return <Decided request={request} />
  const isOwn = request.requested_by?.id === session.user?.id
  if (!mayChange || !(isOwn || canDecide)) return <span className="muted">{texts.anotherPersonMustDecide}</span>
  const offered: readonly Decision[] = isOwn ? ['withdraw'] : ['approve', 'reject']
  return (
    <>
      {isOwn && <p className="small">{texts.youRequestedThisSo}</p>}
      <div className="row-wrap">
        {offered.map((decision) => (
          <Button
            key={decision}
            size="small"
            kind={decision === 'approve' ? 'primary' : 'plain'}
            onClick={() => setAsked(decision)}
          >
            {decisions[decision].label}
          </Button>
        ))}
      </div>
      {asked && <DecisionDialog request={request} decision={asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

function DecisionDialog({
  request,
  decision,
  onClose,
}: {
  request: DismissalRequest
  decision: Decision
  onClose: () => void
}) {
  const { label, done } = decisions[decision]
  const action = useAction(`POST /projects/{id}/dismissal_requests/{request_id}/${decision}`, {
    done,
    showsErrors: true,
    onDone: onClose,
  })
  return (
    <Dialog isOpen onClose={onClose} title={texts.dismissal(label)} lead={request.vulnerability.title}>
      <ActionForm
        action={action}
        submit={label}
        onCancel={onClose}
        onSubmit={(text) =>
          action.mutate({
            path: { id: request.project_id, request_id: request.id },
            body: { comment: text('comment') || undefined },
          })
        }
      >
        <TextArea label={texts.comment} name="comment" hint={texts.optionalVisibleToEveryone} />
      </ActionForm>
    </Dialog>
  )
}
