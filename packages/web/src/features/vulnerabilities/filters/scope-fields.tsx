import { type Choice, SelectField } from '../../../components/form/field.tsx'
import { usePage } from '../../../data/api.ts'
import { useSearchState } from '../../../data/search-state.ts'
import { texts } from '../texts.ts'
import styles from './filter-bar.module.css'

/** Parameters of the address that select projects, named as in the API. */
export const scopeNames = ['group_id', 'project_id', 'topic'] as const

const most = { per_page: 100 } as const

/** Fields that choose the group and the topic of a list; its filters choose projects. Each offers at most 100 choices. */
export function ScopeFields() {
  const [state, set] = useSearchState(scopeNames)
  const groups = usePage('GET /groups', { query: { ...most, order_by: 'name' } })
  const topics = usePage('GET /topics', { query: most })
  return (
    <div className={styles.scope}>
      <SelectField
        label={texts.group}
        isLabelHidden
        value={state.group_id ?? ''}
        choices={choicesOf(texts.allGroups, state.group_id, groups.data?.rows, (group) => [
          `${group.id}`,
          group.full_path,
        ])}
        onChoose={(value) => set({ group_id: value })}
      />
      <SelectField
        label={texts.topic}
        isLabelHidden
        value={state.topic ?? ''}
        choices={choicesOf(texts.allTopics, state.topic, topics.data?.rows, ({ name, title }) => [name, title || name])}
        onChoose={(value) => set({ topic: value })}
      />
    </div>
  )
}

/** Returns the choices of a field. A value of the address that is not among them is added. */
function choicesOf<Row>(
  all: string,
  value: string | undefined,
  rows: readonly Row[] = [],
  describe: (row: Row) => [value: string, label: string],
): Choice<string>[] {
  const choices = rows.map(describe).map(([value, label]) => ({ value, label }))
  const isKnown = choices.some((choice) => choice.value === value)
  return [{ value: '', label: all }, ...choices, ...(value && !isKnown ? [{ value, label: value }] : [])]
}
