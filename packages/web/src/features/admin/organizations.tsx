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

const perPage = 50

/** List of organizations, which have separate topics, groups and projects. */
export function Organizations() {
  const session = useSession()
  const [isOpen, setOpen] = useState(false)
  const query = usePage('GET /organizations', { query: { page: usePageNumber(), per_page: perPage } })
  return (
    <Page
      title="Organizations"
      lead="Organizations have separate topics, groups and projects. Private organizations are visible to members only."
      actions={
        mayWrite(session) && (
          <Button kind="primary" icon={Plus} onClick={() => setOpen(true)}>
            New organization
          </Button>
        )
      }
    >
      <PagedTable
        label="Organizations"
        query={query}
        perPage={perPage}
        columns={[
          [
            'Name',
            ({ name, description }) => (
              <>
                <strong>{name}</strong>
                {description && <p className="muted small">{description}</p>}
              </>
            ),
          ],
          ['Path', ({ path }) => path, 'mono'],
          ['ID', ({ id }) => id, 'numbers'],
          ['Visibility', ({ visibility }) => <Badge>{inWords(visibility)}</Badge>],
          ['Created', (organization) => <Time of={organization.created_at} />],
        ]}
      />
      <NewOrganization isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  )
}

const visibilities = [
  { value: 'private', label: 'Private' },
  { value: 'public', label: 'Public' },
] as const

function NewOrganization({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const create = useAction('POST /organizations', {
    done: 'Organization created.',
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
    <Dialog isOpen={isOpen} onClose={close} title="New organization">
      <ActionForm
        action={create}
        fields={['name', 'path', 'description']}
        submit="Create organization"
        onCancel={close}
        onSubmit={submit}
      >
        <TextField label="Name" name="name" required />
        <TextField label="Path" name="path" required hint="Used in URLs. Letters, digits, - and _." />
        <TextArea label="Description" name="description" rows={3} />
        <SelectField label="Visibility" name="visibility" choices={visibilities} />
      </ActionForm>
    </Dialog>
  )
}
