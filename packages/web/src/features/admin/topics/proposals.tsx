import type { RowOf } from '@alcove/client'
import { Lightbulb } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { fill } from '../../../components/fill.tsx'
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
import { texts } from './texts.ts'

type Proposal = RowOf<'GET /topics/proposals'>
interface Decision {
  proposal: Proposal
  kind: 'approve' | 'reject'
}
const perPage = 50
const states = [
  { value: 'pending', label: texts.pending },
  { value: 'approved', label: texts.approved },
  { value: 'rejected', label: texts.rejected },
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
      title={texts.proposals}
      crumbs={[{ label: texts.topics, to: '/-/admin/topics' }]}
      lead={texts.topicsThatUsersAsk}
    >
      <search className="row-wrap">
        <ChoiceFilter label={texts.status} name="state" choices={states} />
      </search>
      <PagedTable
        label={texts.proposals}
        query={query}
        perPage={perPage}
        empty={{ icon: Lightbulb, title: texts.noProposals, text: <p>{texts.noProposalsHaveThisStatus}</p> }}
        columns={[
          [
            texts.topic,
            ({ name, title, description }) => (
              <>
                <strong>{title}</strong>
                <p className="muted small mono">{name}</p>
                {description && <p className={styles.description}>{description}</p>}
              </>
            ),
          ],
          [
            texts.proposed,
            ({ proposed_by: author, created_at: time }) => (
              <>
                <Time of={time} />
                <p className="muted small">
                  {fill(texts.by, {
                    author: author ? <Link to={`/${author.username}`}>{author.name}</Link> : texts.deletedUser,
                  })}
                </p>
              </>
            ),
          ],
          [texts.status, (proposal) => <ProposalState proposal={proposal} />],
          [
            texts.actions,
            (proposal) =>
              mayWrite(session) &&
              proposal.state === 'pending' && (
                <div className="row-wrap">
                  <Button size="small" onClick={() => setDecision({ proposal, kind: 'approve' })}>
                    {texts.approve}
                    <span className="visually-hidden"> {proposal.name}</span>
                  </Button>
                  <Button size="small" onClick={() => setDecision({ proposal, kind: 'reject' })}>
                    {texts.reject}
                    <span className="visually-hidden"> {proposal.name}</span>
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
    done: texts.topicCreated,
    onDone: onClose,
  })
  return (
    <Dialog isOpen onClose={onClose} title={texts.approveName(proposal.name)} lead={texts.createsTheTopic}>
      <ActionForm
        action={action}
        fields={['name', 'title', 'description', 'comment']}
        submit={texts.createTopic}
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
        <TextField label={texts.name} name="name" required defaultValue={proposal.name} />
        <TextField label={texts.title} name="title" required defaultValue={proposal.title} />
        <TextArea label={texts.description} name="description" defaultValue={proposal.description ?? ''} />
        <CommentField />
      </ActionForm>
    </Dialog>
  )
}

function RejectDialog({ proposal, onClose }: DialogProps) {
  const action = useAction('POST /topics/proposals/{id}/reject', {
    showsErrors: true,
    done: texts.proposalRejected,
    onDone: onClose,
  })
  return (
    <Dialog isOpen onClose={onClose} title={texts.rejectName(proposal.name)}>
      <ActionForm
        action={action}
        fields={['comment']}
        submit={texts.rejectProposal}
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
  return <TextArea label={texts.comment} name="comment" hint={texts.optionalShownToTheUser} />
}
