import type { Schemas } from '@alcove/client'
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { TextArea, TextField } from '../../components/form/field.tsx'
import { useAction } from '../../data/api.ts'
import { useProject } from '../../nouns/project/project.ts'
import { MappingTest } from './mapping-test.tsx'
import { texts } from './texts.ts'

type Mapping = Schemas['ReportMapping']

const example = { title: texts.finding, severity: texts.risk, file: texts.path, severities: { Severe: 'critical' } }

/** Form that creates or changes a mapping and tests it with a sample. */
export function MappingForm({ mapping, onDone }: { mapping: Mapping | undefined; onDone: () => void }) {
  const { project } = useProject()
  const [problem, setProblem] = useState<string>()
  const text = useRef<HTMLTextAreaElement>(null)
  const created = useAction('POST /projects/{id}/report_mappings', {
    ...{ done: texts.mappingCreated, showsErrors: true, onDone },
  })
  const changed = useAction('PUT /projects/{id}/report_mappings/{mapping_id}', {
    ...{ done: texts.mappingSaved, showsErrors: true, onDone },
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
        submit={mapping ? texts.saveMapping : texts.createMapping}
        aside={mapping && <Button onClick={onDone}>{texts.cancel}</Button>}
        onSubmit={(text) => save(text('name'), text('mapping'))}
      >
        <TextField
          label={texts.name}
          name="name"
          required
          maxLength={100}
          defaultValue={mapping?.name}
          hint={texts.importsUseItAsTheParameter}
        />
        <TextArea
          ref={text}
          label={texts.mapping}
          name="mapping"
          required
          rows={10}
          spellCheck={false}
          error={problem}
          defaultValue={JSON.stringify(mapping?.mapping ?? example, null, 2)}
          hint={texts.jsonTheColumnOrKey}
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
    return texts.theMappingIsNotAJson
  } catch (error) {
    return texts.theMappingIsNotValid((error as Error).message) // always a SyntaxError
  }
}
