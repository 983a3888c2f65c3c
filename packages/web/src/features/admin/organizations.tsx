import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextArea, TextField } from '../../components/form/field.tsx'
import { inWords } from '../../components/format.ts'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { texts } from './texts.ts'

const perPage = 50

/** List of organizations, which have separate topics, groups and projects. */
export function Organizations() {
  const session = useSession()
  const [isOpen, setOpen] = useState(false)
  const query = usePage('GET /organizations', { query: { page: usePageNumber(), per_page: perPage } })
  return (
    <Page
      title={texts.organizations}
      lead={texts.organizationsHaveSeparateTopics}
      actions={
        mayWrite(session) && (
          <Button kind="primary" icon={Plus} onClick={() => setOpen(true)}>
            {texts.newOrganization}
          </Button>
        )
      }
    >
      <PagedTable
        label={texts.organizations}
        query={query}
        perPage={perPage}
        columns={[
          [
            texts.name,
            ({ name, description }) => (
              <>
                <strong>{name}</strong>
                {description && <p className="muted small">{description}</p>}
              </>
            ),
          ],
          [texts.path, ({ path }) => path, 'mono'],
          ['ID', ({ id }) => id, 'numbers'],
          [texts.visibility, ({ visibility }) => <Badge>{inWords(visibility)}</Badge>],
          [texts.created, (organization) => <Time of={organization.created_at} />],
        ]}
      />
      <NewOrganization isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  )
}

const visibilities = [
  { value: 'private', label: texts.private },
  { value: 'public', label: texts.public },
] as const

function NewOrganization({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const create = useAction('POST /organizations', {
    done: texts.organizationCreated,
    showsErrors: true,
    onDone: () => close(),
  })
  function close() {
    create.reset()
    onClose()
  }
  const submit = (text: (name: string) => string) =>
    create.mutate({
      body: {
        name: text('name'),
        path: text('path'),
        description: text('description') || null,
        visibility: text('visibility') === 'public' ? 'public' : 'private',
      },
    })
  return (
    <Dialog isOpen={isOpen} onClose={close} title={texts.newOrganization}>
      <ActionForm
        action={create}
        fields={['name', 'path', 'description']}
        submit={texts.createOrganization}
        onCancel={close}
        onSubmit={submit}
      >
        <TextField label={texts.name} name="name" required />
        <TextField label={texts.path} name="path" required hint={texts.usedInUrlsLetters} />
        <TextArea label={texts.description} name="description" rows={3} />
        <SelectField label={texts.visibility} name="visibility" choices={visibilities} />
      </ActionForm>
    </Dialog>
  )
}
