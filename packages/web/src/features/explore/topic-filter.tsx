import { Tag, X } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { later } from '../../components/later.ts'
import styles from './topic-filter.module.css'

// With its suggestions it weighs as much as a screen, so only whoever wants it fetches it.
const TopicsField = later(async () => (await import('../../nouns/topic/topics-field.tsx')).TopicsField)

/** Only what has all of these topics. */
export function TopicFilter({ chosen, onChoose }: { chosen: readonly string[]; onChoose: (names: string[]) => void }) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) {
    return (
      <div className={styles.field}>
        <Suspense fallback={null}>
          <TopicsField
            label="Topics that the projects have"
            isLabelHidden
            isFocused
            placeholder="With the topic …"
            value={chosen}
            onChange={onChoose}
            mayCreate={false}
          />
        </Suspense>
      </div>
    )
  }
  return (
    <>
      {chosen.map((name) => (
        <button
          key={name}
          type="button"
          className={styles.chosen}
          aria-label={`Without the topic ${name}`}
          onClick={() => onChoose(chosen.filter((other) => other !== name))}
        >
          {name}
          <X size={13} aria-hidden="true" />
        </button>
      ))}
      <Button kind="quiet" icon={Tag} onClick={() => setOpen(true)}>
        {chosen.length > 0 ? 'More topics' : 'With a topic'}
      </Button>
    </>
  )
}
