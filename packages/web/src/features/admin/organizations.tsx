import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextArea, TextField } from '../../components/form/field.tsx'
import { inWords } from '../../components/format.ts'
import { Dialog } from '../../components/overlay/dialog.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Table } from '../../components/table.tsx'
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
      <PagedList query={query} perPage={perPage}>
        {(rows) => (
          <Table label="Organizations" head={['Name', 'Path', 'ID', 'Visibility', 'Created']}>
            {rows.map((organization) => (
              <tr key={organization.id}>
                <td>
                  <strong>{organization.name}</strong>
                  {organization.description && <p className="muted small">{organization.description}</p>}
                </td>
                <td className="mono">{organization.path}</td>
                <td className="numbers">{organization.id}</td>
                <td>
                  <Badge>{inWords(organization.visibility)}</Badge>
                </td>
                <td>
                  <Time of={organization.created_at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
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
