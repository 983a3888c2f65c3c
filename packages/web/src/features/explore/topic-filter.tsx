import { Tag, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { lazyComponent } from '../../components/lazy-component.tsx'
import { texts } from './texts.ts'
import styles from './topic-filter.module.css'

// The combobox is large, so its code is fetched only when the user opens the filter.
const TopicsField = lazyComponent(
  async () => (await import('../../nouns/topic/topics-field.tsx')).TopicsField,
  () => null,
)

/** Filter for projects that have all of the chosen topics. */
export function TopicFilter({ chosen, onChoose }: { chosen: readonly string[]; onChoose: (names: string[]) => void }) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) {
    return (
      <div className={styles.field}>
        <TopicsField
          label={texts.filterByTopic}
          isLabelHidden
          isFocused
          placeholder={texts.topic}
          value={chosen}
          onChange={onChoose}
          mayCreate={false}
        />
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
          aria-label={texts.removeTopic(name)}
          onClick={() => onChoose(chosen.filter((other) => other !== name))}
        >
          {name}
          <X size={13} aria-hidden="true" />
        </button>
      ))}
      <Button kind="quiet" icon={Tag} onClick={() => setOpen(true)}>
        {chosen.length > 0 ? texts.addTopic : texts.filterByTopic}
      </Button>
    </>
  )
}
