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
import { texts } from './texts.ts'

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
    <Page title={texts.reportMappings} lead={texts.aMappingNamesTheColumns}>
      <QueryResult query={query}>
        {(mappings) => <Mappings mappings={mappings} edited={edited} onEdit={setEdited} onRemoved={restart} />}
      </QueryResult>
      {!query.isLoading && (
        <ForWriters>
          <Panel title={edited ? texts.editName(edited.name) : texts.createMapping}>
            <MappingForm key={edited?.id ?? `new ${count}`} mapping={edited} onDone={restart} />
          </Panel>
        </ForWriters>
      )}
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
    done: texts.mappingDeleted,
    onDone() {
      if (removed?.id === edited?.id) onRemoved()
      setRemoved(undefined)
    },
  })
  if (mappings.length === 0) return <p>{texts.thisProjectHasNo}</p>
  return (
    <>
      <Table label={texts.mappings} head={[texts.name, texts.fields, texts.changed, texts.actions]}>
        {mappings.map((mapping) => (
          <tr key={mapping.id}>
            <th scope="row">{mapping.name}</th>
            <td>{Object.keys(mapping.mapping).join(', ')}</td>
            <td>
              <Time of={mapping.updated_at} />
            </td>
            <td>
              <span className="row-wrap">
                <Button size="small" aria-label={texts.editName(mapping.name)} onClick={() => onEdit(mapping)}>
                  {texts.edit}
                </Button>
                <Button
                  size="small"
                  kind="danger"
                  aria-label={texts.deleteLabelName(mapping.name)}
                  onClick={() => setRemoved(mapping)}
                >
                  {texts.deleteLabel}
                </Button>
              </span>
            </td>
          </tr>
        ))}
      </Table>
      <ConfirmDialog
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={texts.deleteLabelName2(removed?.name ?? texts.mapping2)}
        lead={texts.importsThatNameItAreRejected}
        confirm={texts.deleteMapping}
        isBusy={remove.isPending}
        onConfirm={() => removed && remove.mutate({ path: { id: project.id, mapping_id: removed.id } })}
      />
    </>
  )
}
