import type { Schemas } from '@alcove/client'
import { severities } from '../../components/badge.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextField } from '../../components/form/field.tsx'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { texts } from './texts.ts'

type Rule = Schemas['DismissalApproval']

const groupPath = '/groups/{id}/dismissal_approval'

interface RulePlace {
  noun: 'project' | 'group'
  id: number
}

/** The rule of a project, for its maintainers, or of a group, for its owners. */
export function RulePanel({ noun, id }: RulePlace) {
  const query = useApiQuery(`GET ${pathOf(noun)}`, { path: { id } })
  return (
    <Panel title={texts.approvalRule}>
      <QueryResult query={query}>
        {(rule) => <RuleForm key={JSON.stringify(rule)} rule={rule} noun={noun} id={id} />}
      </QueryResult>
    </Panel>
  )
}

// The operations of a project have the types of a group's.
const pathOf = (noun: RulePlace['noun']) =>
  noun === 'group' ? groupPath : ('/projects/{id}/dismissal_approval' as unknown as typeof groupPath)

function RuleForm({ rule: { own, effective }, noun, id }: RulePlace & { rule: Rule }) {
  const path = { id }
  const save = useAction(`PUT ${pathOf(noun)}`, { done: texts.ruleSaved, showsErrors: true })
  const remove = useAction(`DELETE ${pathOf(noun)}`, { done: texts.ruleRemoved, showsErrors: true })
  const isInherited = effective !== null && effective.severity !== own?.severity
  return (
    <>
      {isInherited && <p>{texts.aGroupAboveRequires(effective.severity)}</p>}
      <ActionForm
        action={{ error: save.error ?? remove.error, isPending: save.isPending || remove.isPending }}
        fields={['severity', 'expires_in_days']}
        submit={texts.saveRule}
        onSubmit={(text) => {
          const severity = severities.find((word) => word === text('severity'))
          if (severity) save.mutate({ path, body: { severity, expires_in_days: Number(text('expires_in_days')) } })
          else if (own) remove.mutate({ path })
        }}
      >
        <SelectField
          label={texts.requireASecondPerson}
          name="severity"
          defaultValue={own?.severity ?? ''}
          choices={[
            { value: '', label: texts.noRuleOfThis(noun) },
            ...severities.map((value) => ({ value, label: texts.from(value) })),
          ]}
        />
        <TextField
          label={texts.daysUntilARequest}
          name="expires_in_days"
          type="number"
          min={1}
          max={365}
          defaultValue={own?.expires_in_days ?? 14}
        />
      </ActionForm>
    </>
  )
}
