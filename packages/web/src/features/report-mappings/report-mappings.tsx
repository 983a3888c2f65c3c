import type { Schemas } from '@alcove/client'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useProject } from '../../nouns/project/project.ts'
import { MappingForm } from './mapping-form.tsx'

type Mapping = Schemas['ReportMapping']

/** Settings page with the stored mappings of generic CSV and JSON reports. */
export function ReportMappings() {
  const { project } = useProject()
  const query = useApiQuery('GET /projects/{id}/report_mappings', { path: { id: project.id } })
  const [edited, setEdited] = useState<Mapping>()
  const [count, setCount] = useState(0)
  const restart = () => {
    setEdited(undefined)
    // A new form is empty.
    setCount(count + 1)
  }
  return (
    <Page
      title="Report mappings"
      lead="A mapping names the columns or keys of CSV and JSON reports that no other format fits. Imports choose it by its name."
    >
      <QueryResult query={query}>
        {(mappings) => <Mappings mappings={mappings} edited={edited} onEdit={setEdited} onRemoved={restart} />}
      </QueryResult>
      <ForWriters>
        <Panel title={edited ? `Edit ${edited.name}` : 'Create mapping'}>
          <MappingForm key={edited?.id ?? `new ${count}`} mapping={edited} onDone={restart} />
        </Panel>
      </ForWriters>
    </Page>
  )
}

function Mappings({
  mappings,
  edited,
  onEdit,
  onRemoved,
}: {
  mappings: readonly Mapping[]
  edited: Mapping | undefined
  onEdit: (mapping: Mapping) => void
  onRemoved: () => void
}) {
  const { project } = useProject()
  const [removed, setRemoved] = useState<Mapping>()
  const remove = useAction('DELETE /projects/{id}/report_mappings/{mapping_id}', {
    done: 'Mapping deleted.',
    onDone() {
      if (removed?.id === edited?.id) onRemoved()
      setRemoved(undefined)
    },
  })
  if (mappings.length === 0) return <p>This project has no mappings.</p>
  return (
    <>
      <Table label="Mappings" head={['Name', 'Fields', 'Changed', 'Actions']}>
        {mappings.map((mapping) => (
          <tr key={mapping.id}>
            <th scope="row">{mapping.name}</th>
            <td>{Object.keys(mapping.mapping).join(', ')}</td>
            <td>
              <Time of={mapping.updated_at} />
            </td>
            <td>
              <span className="row-wrap">
                <Button size="small" aria-label={`Edit ${mapping.name}`} onClick={() => onEdit(mapping)}>
                  Edit
                </Button>
                <Button
                  size="small"
                  kind="danger"
                  aria-label={`Delete ${mapping.name}`}
                  onClick={() => setRemoved(mapping)}
                >
                  Delete
                </Button>
              </span>
            </td>
          </tr>
        ))}
      </Table>
      <ConfirmDialog
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={`Delete ${removed?.name ?? 'mapping'}?`}
        lead="Imports that name it are rejected afterwards. Imported findings stay."
        confirm="Delete mapping"
        isBusy={remove.isPending}
        onConfirm={() => removed && remove.mutate({ path: { id: project.id, mapping_id: removed.id } })}
      />
    </>
  )
}
