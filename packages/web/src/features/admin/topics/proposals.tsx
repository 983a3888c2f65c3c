import type { RowOf } from '@alcove/client'
import { Lightbulb } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextArea, TextField } from '../../../components/form/field.tsx'
import { ChoiceFilter, useChoice } from '../../../components/form/filters.tsx'
import { Dialog } from '../../../components/overlay/dialog.tsx'
import { Page } from '../../../components/page/page.tsx'
import { PagedTable } from '../../../components/page/paged-table.tsx'
import { usePageNumber } from '../../../components/page/pager.tsx'
import { Time } from '../../../components/time.tsx'
import { useAction, usePage } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import { ProposalState } from '../../../nouns/topic/proposal-state.tsx'
import styles from '../admin.module.css'

type Proposal = RowOf<'GET /topics/proposals'>
interface Decision {
  proposal: Proposal
  kind: 'approve' | 'reject'
}
const perPage = 50
const states = [
  { value: 'pending', label: 'Pending' },
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
] as const

/** List of proposed topics, which administrators approve or reject. */
export function Proposals() {
  const session = useSession()
  const [decision, setDecision] = useState<Decision>()
  const state = useChoice('state', states)
  const query = usePage('GET /topics/proposals', { query: { state, page: usePageNumber(), per_page: perPage } })
  const close = () => setDecision(undefined)
  return (
    <Page
      title="Proposals"
      crumbs={[{ label: 'Topics', to: '/-/admin/topics' }]}
      lead="Topics that users ask you to create."
    >
      <search>
        <ChoiceFilter label="Status" name="state" choices={states} />
      </search>
      <PagedTable
        label="Proposals"
        query={query}
        perPage={perPage}
        empty={{ icon: Lightbulb, title: 'No proposals', text: <p>No proposals have this status.</p> }}
        columns={[
          [
            'Topic',
            ({ name, title, description }) => (
              <>
                <strong>{title}</strong>
                <p className="muted small mono">{name}</p>
                {description && <p className={styles.description}>{description}</p>}
              </>
            ),
          ],
          [
            'Proposed',
            ({ proposed_by: author, created_at: time }) => (
              <>
                <Time of={time} />
                <p className="muted small">
                  by {author ? <Link to={`/${author.username}`}>{author.name}</Link> : 'Deleted user'}
                </p>
              </>
            ),
          ],
          ['Status', (proposal) => <ProposalState proposal={proposal} />],
          [
            'Actions',
            (proposal) =>
              mayWrite(session) &&
              proposal.state === 'pending' && (
                <div className="row-wrap">
                  <Button size="small" onClick={() => setDecision({ proposal, kind: 'approve' })}>
                    Approve<span className="visually-hidden"> {proposal.name}</span>
                  </Button>
                  <Button size="small" onClick={() => setDecision({ proposal, kind: 'reject' })}>
                    Reject<span className="visually-hidden"> {proposal.name}</span>
                  </Button>
                </div>
              ),
          ],
        ]}
      />
      {decision?.kind === 'approve' && <ApproveDialog proposal={decision.proposal} onClose={close} />}
      {decision?.kind === 'reject' && <RejectDialog proposal={decision.proposal} onClose={close} />}
    </Page>
  )
}

interface DialogProps {
  proposal: Proposal
  onClose: () => void
}

function ApproveDialog({ proposal, onClose }: DialogProps) {
  const action = useAction('POST /topics/proposals/{id}/approve', {
    showsErrors: true,
    done: 'Topic created.',
    onDone: onClose,
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Approve ${proposal.name}?`} lead="Creates the topic.">
      <ActionForm
        action={action}
        fields={['name', 'title', 'description', 'comment']}
        submit="Create topic"
        onCancel={onClose}
        onSubmit={(text) =>
          action.mutate({
            path: { id: proposal.id },
            body: {
              name: text('name'),
              title: text('title'),
              description: text('description') || null,
              ...(text('comment') && { comment: text('comment') }),
            },
          })
        }
      >
        <TextField label="Name" name="name" required defaultValue={proposal.name} />
        <TextField label="Title" name="title" required defaultValue={proposal.title} />
        <TextArea label="Description" name="description" defaultValue={proposal.description ?? ''} />
        <CommentField />
      </ActionForm>
    </Dialog>
  )
}

function RejectDialog({ proposal, onClose }: DialogProps) {
  const action = useAction('POST /topics/proposals/{id}/reject', {
    showsErrors: true,
    done: 'Proposal rejected.',
    onDone: onClose,
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Reject ${proposal.name}?`}>
      <ActionForm
        action={action}
        fields={['comment']}
        submit="Reject proposal"
        onCancel={onClose}
        onSubmit={(text) =>
          action.mutate({ path: { id: proposal.id }, body: text('comment') ? { comment: text('comment') } : {} })
        }
      >
        <CommentField />
      </ActionForm>
    </Dialog>
  )
}

function CommentField() {
  return <TextArea label="Comment" name="comment" hint="Optional. Shown to the user who proposed the topic." />
}
