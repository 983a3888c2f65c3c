import { Send } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/form/field.tsx'
import { Panel } from '../../components/page/page.tsx'
import { useAction } from '../../data/api.ts'
import { type EventName, eventsOf, subscribedEvents } from './events.ts'
import styles from './hook-form.module.css'
import { type Hook, useHookPlace } from './place.ts'
import { texts } from './texts.ts'

/** Form that sends a test event, whether or not the webhook is subscribed to it. */
export function TestDelivery({ hook }: { hook: Hook }) {
  const { noun, id, base } = useHookPlace()
  const events = eventsOf(noun)
  const [trigger, setTrigger] = useState<EventName>(subscribedEvents(hook)[0]?.name ?? 'vulnerability_events')
  const test = useAction(`POST ${base}/{hook_id}/test/{trigger}`, { done: texts.testDeliverySucceeded })
  return (
    <Panel title={texts.test}>
      <div className={styles.test}>
        <SelectField<EventName>
          label={texts.event}
          choices={events.map(({ name, label }) => ({ value: name, label }))}
          value={trigger}
          onChoose={setTrigger}
          hint={
            trigger === 'vulnerability_events'
              ? texts.sendsTheNewestVulnerability(noun)
              : texts.sendsASampleWithInvented
          }
        />
        <Button
          icon={Send}
          isBusy={test.isPending}
          onClick={() => test.mutate({ path: { id, hook_id: hook.id, trigger } })}
        >
          {texts.sendTestEvent}
        </Button>
      </div>
    </Panel>
  )
}
