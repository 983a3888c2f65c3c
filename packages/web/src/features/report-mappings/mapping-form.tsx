import type { Schemas } from '@alcove/client'
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { TextArea, TextField } from '../../components/form/field.tsx'
import { useAction } from '../../data/api.ts'
import { useProject } from '../../nouns/project/project.ts'
import { MappingTest } from './mapping-test.tsx'

type Mapping = Schemas['ReportMapping']

const example = { title: 'Finding', severity: 'Risk', file: 'Path', severities: { Severe: 'critical' } }

/** Form that creates or changes a mapping and tests it with a sample. */
export function MappingForm({ mapping, onDone }: { mapping: Mapping | undefined; onDone: () => void }) {
  const { project } = useProject()
  const [problem, setProblem] = useState<string>()
  const text = useRef<HTMLTextAreaElement>(null)
  const created = useAction('POST /projects/{id}/report_mappings', {
    ...{ done: 'Mapping created.', showsErrors: true, onDone },
  })
  const changed = useAction('PUT /projects/{id}/report_mappings/{mapping_id}', {
    ...{ done: 'Mapping saved.', showsErrors: true, onDone },
  })
  const save = (name: string, written: string) => {
    const parsed = parseObject(written)
    setProblem(typeof parsed === 'string' ? parsed : undefined)
    if (typeof parsed === 'string') return
    const body = { name, mapping: parsed }
    if (mapping) changed.mutate({ path: { id: project.id, mapping_id: mapping.id }, body })
    else created.mutate({ path: { id: project.id }, body })
  }
  return (
    <div className="stack">
      <ActionForm
        action={mapping ? changed : created}
        fields={['name', 'mapping']}
        submit={mapping ? 'Save mapping' : 'Create mapping'}
        aside={mapping && <Button onClick={onDone}>Cancel</Button>}
        onSubmit={(text) => save(text('name'), text('mapping'))}
      >
        <TextField
          label="Name"
          name="name"
          required
          maxLength={100}
          defaultValue={mapping?.name}
          hint="Imports use it as the parameter mapping."
        />
        <TextArea
          ref={text}
          label="Mapping"
          name="mapping"
          required
          rows={10}
          spellCheck={false}
          error={problem}
          defaultValue={JSON.stringify(mapping?.mapping ?? example, null, 2)}
          hint="JSON: the column or key of each field, severities for words, scanner for the name of the tool, findings for the list in a JSON document."
        />
      </ActionForm>
      <MappingTest
        read={() => {
          const parsed = parseObject(text.current?.value ?? '')
          setProblem(typeof parsed === 'string' ? parsed : undefined)
          return typeof parsed === 'string' ? undefined : parsed
        }}
      />
    </div>
  )
}

/** Returns the object, or what is wrong with the text, in which the browser names the line. */
function parseObject(text: string): Record<string, unknown> | string {
  try {
    const parsed: unknown = JSON.parse(text)
    if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)) return { ...parsed }
    return 'The mapping is not a JSON object.'
  } catch (error) {
    return `The mapping is not valid JSON: ${(error as Error).message}` // always a SyntaxError
  }
}
