import { Lightbulb } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { TextArea, TextField } from '../../components/form/field.tsx'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { ProposalState } from './proposal-state.tsx'
import { texts } from './texts.ts'

/** Button for users who cannot create topics. Its dialog sends a proposal and lists the latest ones of the user. */
export function ProposeTopic({ projectId }: { projectId?: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" kind="quiet" icon={Lightbulb} onClick={() => setOpen(true)}>
        {texts.proposeTopic}
      </Button>
      {isOpen && <ProposeDialog projectId={projectId} onClose={() => setOpen(false)} />}
    </>
  )
}

function ProposeDialog({ projectId, onClose }: { projectId: number | undefined; onClose: () => void }) {
  const action = useAction('POST /topics/proposals', {
    showsErrors: true,
    done: texts.topicProposedAnAdministrator,
    onDone: onClose,
  })
  const given = usePage('GET /topics/proposals', { query: { per_page: 5 } })
  const rows = given.data?.rows ?? []
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.proposeTopic}
      lead={projectId === undefined ? texts.onlyAdministratorsCreateTopics : texts.onlyAdministratorsCreateTopicsOn}
    >
      <ActionForm
        action={action}
        fields={['name', 'title', 'description']}
        submit={texts.proposeTopic}
        onCancel={onClose}
        onSubmit={(text) =>
          action.mutate({
            body: {
              name: text('name'),
              ...(text('title') && { title: text('title') }),
              ...(text('description') && { description: text('description') }),
              ...(projectId !== undefined && { project_id: projectId }),
            },
          })
        }
      >
        <TextField label={texts.name} name="name" required hint={texts.forExampleMachineLearning} />
        <TextField label={texts.title} name="title" hint={texts.optionalDefaultTheName} />
        <TextArea label={texts.description} name="description" hint={texts.optionalSupportsMarkdown} />
      </ActionForm>
      {rows.length > 0 && (
        <section className="stack-tight" aria-labelledby="own-proposals">
          <h3 id="own-proposals">{texts.latestProposals}</h3>
          <ul className="stack-tight">
            {rows.map((proposal) => (
              <li key={proposal.id}>
                <code>{proposal.name}</code> <ProposalState proposal={proposal} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  )
}
