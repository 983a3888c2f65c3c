import { useState } from 'react'
import { ActionMenu } from '../../../components/overlay/menu.tsx'
import { TagsDialog } from '../../../nouns/vulnerability/lazy-tags.ts'
import { texts } from '../texts.ts'
import { leadOf, sizeOf } from './target-in-words.ts'
import type { Tagging, Target } from './triage-change.ts'

const labels = { tag: texts.addTags, untag: texts.removeTags } as const

/** Menu that adds tags to rows, or removes them. */
export function TagActions({
  target,
  onApply,
}: {
  target: Target
  /** Returns false when nothing was changed. */
  onApply: (tagging: Tagging, target: Target) => Promise<boolean>
}) {
  const [asked, setAsked] = useState<{ action: Tagging['action']; target: Target }>()
  return (
    <>
      <ActionMenu
        label={texts.moreActions}
        items={[
          { label: texts.addTags2, onChoose: () => setAsked({ action: 'tag', target }) },
          { label: texts.removeTags2, onChoose: () => setAsked({ action: 'untag', target }) },
        ]}
      />
      {asked && (
        <TagsDialog
          title={`${labels[asked.action]}: ${sizeOf(asked.target)}`}
          lead={leadOf(asked.target)}
          submitLabel={labels[asked.action]}
          source={asked.target.owner}
          onClose={() => setAsked(undefined)}
          onSubmit={async (tags) => ((await onApply({ action: asked.action, tags }, asked.target)) ? undefined : '')}
        />
      )}
    </>
  )
}
