import type { RowOf, Schemas } from '@alcove/client'
import { UserCheck } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge, SeverityBadge, severities } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextArea, TextField } from '../../components/form/field.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { inWords } from '../../components/format.ts'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery, usePage } from '../../data/api.ts'
import { levels, useMayChange, useSession } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'
import { DismissalEnd } from '../../nouns/vulnerability/dismissal-end.tsx'

type Request = RowOf<'GET /projects/{id}/dismissal_requests'>
type Rule = Schemas['DismissalApproval']

const perPage = 20

const choices = [
  { value: 'pending', label: 'Awaiting approval' },
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'withdrawn', label: 'Withdrawn' },
  { value: 'expired', label: 'Expired' },
] as const

/** Requests for dismissals of a project, with the rule that requires them. */
export function Approvals() {
  const { project, level, to } = useProject()
  const mayChange = useMayChange()
  const state = useChoice('state', choices)
  const query = usePage('GET /projects/{id}/dismissal_requests', {
    path: { id: project.id },
    query: { state, page: usePageNumber(), per_page: perPage },
  })
  return (
    <Page
      title="Approvals"
      crumbs={[{ label: 'Vulnerabilities', to: to('vulnerabilities') }]}
      lead="Dismissals that need a second person."
    >
      <search>
        <ChoiceFilter name="state" label="Requests" choices={choices} />
      </search>
      <PagedTable
        label="Requests for dismissals"
        query={query}
        perPage={perPage}
        empty={{ icon: UserCheck, title: 'No requests', text: <p>Nothing here in this state.</p> }}
        columns={[
          ['Severity', ({ vulnerability }) => <SeverityBadge severity={vulnerability.severity} />],
          [
            'Vulnerability',
            (request) => <Subject request={request} to={to(`vulnerabilities/${request.vulnerability.id}`)} />,
          ],
          ['Requested', (request) => <Requested request={request} />],
          [
            'Decision',
            (request) => (request.state === 'pending' ? <Decide request={request} /> : <Decided request={request} />),
          ],
        ]}
      />
      {mayChange && level >= levels.maintainer && <RulePanel />}
    </Page>
  )
}

function Subject({ request, to }: { request: Request; to: string }) {
  return (
    <>
      <Link to={to}>{request.vulnerability.title}</Link>
      <p className="small row-wrap">
        <span>{request.dismissal_reason ? inWords(request.dismissal_reason) : 'No reason'}</span>
        <DismissalEnd until={request.until} isUntilFixed={request.until_fixed} />
      </p>
      {request.comment && <p className="muted small">{request.comment}</p>}
    </>
  )
}

function Requested({ request }: { request: Request }) {
  return (
    <>
      {request.requested_by?.name ?? 'Deleted user'}
      <p className="muted small">
        <Time of={request.created_at} />
        {request.state === 'pending' && (
          <>
            {', expires '}
            <Time of={request.expires_at} />
          </>
        )}
      </p>
    </>
  )
}

function Decided({ request }: { request: Request }) {
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
  approve: { label: 'Approve', done: 'Dismissal approved.' },
  reject: { label: 'Reject', done: 'Dismissal rejected.' },
  withdraw: { label: 'Withdraw', done: 'Request withdrawn.' },
} as const
type Decision = keyof typeof decisions

/** Buttons of those who may decide: the requester withdraws, others approve or reject. */
function Decide({ request }: { request: Request }) {
  const session = useSession()
  const { level } = useProject()
  const mayChange = useMayChange()
  const [asked, setAsked] = useState<Decision>()
  if (!mayChange || level < session.triage_access_level) return <span className="muted">Awaiting approval</span>
  const offered: readonly Decision[] =
    request.requested_by?.id === session.user?.id ? ['withdraw'] : ['approve', 'reject']
  return (
    <div className="row">
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
      {asked && <DecisionDialog request={request} decision={asked} onClose={() => setAsked(undefined)} />}
    </div>
  )
}

function DecisionDialog({ request, decision, onClose }: { request: Request; decision: Decision; onClose: () => void }) {
  const { label, done } = decisions[decision]
  const action = useAction(`POST /projects/{id}/dismissal_requests/{request_id}/${decision}`, {
    done,
    showsErrors: true,
    onDone: onClose,
  })
  return (
    <Dialog isOpen onClose={onClose} title={`${label} dismissal`} lead={request.vulnerability.title}>
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
        <TextArea
          label="Comment"
          name="comment"
          hint="Optional. Visible to everyone who can read this vulnerability."
        />
      </ActionForm>
    </Dialog>
  )
}

/** The rule of the project, for maintainers. */
function RulePanel() {
  const { project } = useProject()
  const query = useApiQuery('GET /projects/{id}/dismissal_approval', { path: { id: project.id } })
  return (
    <Panel title="Approval rule">
      <QueryResult query={query}>{(rule) => <RuleForm key={JSON.stringify(rule)} rule={rule} />}</QueryResult>
    </Panel>
  )
}

function RuleForm({ rule: { own, effective } }: { rule: Rule }) {
  const { project } = useProject()
  const path = { id: project.id }
  const save = useAction('PUT /projects/{id}/dismissal_approval', { done: 'Rule saved.', showsErrors: true })
  const remove = useAction('DELETE /projects/{id}/dismissal_approval', { done: 'Rule removed.', showsErrors: true })
  const isInherited = effective !== null && effective.severity !== own?.severity
  return (
    <>
      {isInherited && <p>A group above requires approval from the severity {effective.severity}.</p>}
      <ActionForm
        action={{ error: save.error ?? remove.error, isPending: save.isPending || remove.isPending }}
        fields={['severity', 'expires_in_days']}
        submit="Save rule"
        onSubmit={(text) => {
          const severity = severities.find((word) => word === text('severity'))
          if (severity) save.mutate({ path, body: { severity, expires_in_days: Number(text('expires_in_days')) } })
          else if (own) remove.mutate({ path })
        }}
      >
        <SelectField
          label="Require a second person for dismissals"
          name="severity"
          defaultValue={own?.severity ?? ''}
          choices={[
            { value: '', label: 'No rule of this project' },
            ...severities.map((value) => ({ value, label: `From ${value}` })),
          ]}
        />
        <TextField
          label="Days until a request expires"
          name="expires_in_days"
          type="number"
          min={1}
          max={365}
          defaultValue={own?.expires_in_days ?? 14}
        />
      </ActionForm>
    </>
  )
}
