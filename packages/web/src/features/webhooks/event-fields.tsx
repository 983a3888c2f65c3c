import { CheckField } from '../../components/form/field.tsx'
import { eventGroupsOf } from './events.ts'
import styles from './hook-form.module.css'
import { type Hook, useHookPlace } from './place.ts'
import { texts } from './texts.ts'

const reach = {
  project: '',
  group: texts.alsoOfTheProjects,
  instance: texts.ofAllProjectsAndGroups,
} as const

/** Check boxes of the events that the place has. */
export function EventFields({ hook }: { hook: Hook | undefined }) {
  const { noun } = useHookPlace()
  return (
    <fieldset className={styles.events}>
      <legend>{texts.events}</legend>
      <p className="muted small">{texts.sendARequestWhen(reach[noun])}</p>
      {eventGroupsOf(noun).map(({ title, events }) => (
        <fieldset key={title} className={styles.choices}>
          <legend>{title}</legend>
          {events.map(({ name, label, hint, isDefault = false }) => (
            <CheckField
              key={name}
              label={label}
              name={name}
              hint={hint}
              defaultChecked={hook ? hook[name] === true : isDefault}
            />
          ))}
        </fieldset>
      ))}
    </fieldset>
  )
}
